package parquetio

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// Physical types of the format.
const (
	physicalBoolean   = 0
	physicalInt32     = 1
	physicalInt64     = 2
	physicalInt96     = 3
	physicalFloat     = 4
	physicalDouble    = 5
	physicalByteArray = 6
	physicalFixed     = 7
)

var physicalNames = [...]string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}

// Members of the union LogicalType.
const (
	logicalString    = 1
	logicalMap       = 2
	logicalList      = 3
	logicalEnum      = 4
	logicalDecimal   = 5
	logicalDate      = 6
	logicalTime      = 7
	logicalTimestamp = 8
	logicalInteger   = 10
	logicalUnknown   = 11
	logicalJSON      = 12
	logicalBSON      = 13
	logicalUUID      = 14
	logicalFloat16   = 15
	logicalVariant   = 16
	logicalGeometry  = 17
	logicalGeography = 18
)

// Members of the union TimeUnit.
const (
	unitMillis = 1
	unitMicros = 2
	unitNanos  = 3
)

// Encodings of the format.
const (
	encodingPlain                = 0
	encodingPlainDictionary      = 2
	encodingRLE                  = 3
	encodingBitPacked            = 4
	encodingDeltaBinaryPacked    = 5
	encodingDeltaLengthByteArray = 6
	encodingDeltaByteArray       = 7
	encodingRLEDictionary        = 8
	encodingByteStreamSplit      = 9
)

var encodingNames = [...]string{
	"PLAIN", "GROUP_VAR_INT", "PLAIN_DICTIONARY", "RLE", "BIT_PACKED", "DELTA_BINARY_PACKED",
	"DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY", "BYTE_STREAM_SPLIT",
}

// unknownEncoding stands for all encodings that have no number of their own
// in a set of bits.
const unknownEncoding = 31

// knownEncodings has a bit for each encoding that can be decoded.
const knownEncodings = 1<<encodingPlain | 1<<encodingPlainDictionary | 1<<encodingRLE | 1<<encodingBitPacked |
	1<<encodingDeltaBinaryPacked | 1<<encodingDeltaLengthByteArray | 1<<encodingDeltaByteArray |
	1<<encodingRLEDictionary | 1<<encodingByteStreamSplit

func encodingName(e int) string {
	if e >= 0 && e < len(encodingNames) {
		return encodingNames[e]
	}
	return fmt.Sprintf("encoding %d", e)
}

// encodingList names the encodings of a set of bits.
func encodingList(set uint32) []string {
	var names []string
	for ; set != 0; set &= set - 1 {
		names = append(names, encodingName(bits.TrailingZeros32(set)))
	}
	return names
}

// Compression codecs of the format.
const (
	codecNone   = 0
	codecSnappy = 1
	codecGzip   = 2
	codecLZO    = 3
	codecBrotli = 4
	codecLZ4    = 5
	codecZstd   = 6
	codecLZ4Raw = 7
)

var codecNames = [...]string{"UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW"}

func codecName(c int8) string {
	if c >= 0 && int(c) < len(codecNames) {
		return codecNames[c]
	}
	return "an unknown codec"
}

// codecKnown reports whether pages of codec c can be decompressed.
func codecKnown(c int8) bool { return c >= 0 && int(c) < len(codecNames) && c != codecLZO }

// Page types of the format.
const (
	pageData       = 0
	pageIndex      = 1
	pageDictionary = 2
	pageDataV2     = 3
)

func leUint32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
func leUint64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// zoned is the part of a logical type's name that tells instants from wall
// clock readings.
func zoned(utc bool) string {
	if utc {
		return ",UTC"
	}
	return ""
}

func unitName(unit int32) string {
	switch unit {
	case unitMillis:
		return "ms"
	case unitMicros:
		return "us"
	case unitNanos:
		return "ns"
	}
	return "?"
}

var logicalNames = map[int16]string{
	logicalString: "STRING", logicalMap: "MAP", logicalList: "LIST", logicalEnum: "ENUM", logicalDate: "DATE",
	logicalUnknown: "UNKNOWN", logicalJSON: "JSON", logicalBSON: "BSON", logicalUUID: "UUID", logicalFloat16: "FLOAT16",
	logicalVariant: "VARIANT", logicalGeometry: "GEOMETRY", logicalGeography: "GEOGRAPHY",
}

// logicalName describes an element's annotation; one that is not known by its
// number.
func logicalName(e *schemaElement) string {
	l := annotation(e)
	switch l.id {
	case 0:
		return ""
	case legacyInterval:
		return "INTERVAL"
	case legacyUnknown:
		return fmt.Sprintf("converted type %d", l.a)
	case logicalDecimal:
		return fmt.Sprintf("DECIMAL(%d,%d)", l.b, l.a)
	case logicalTime:
		return "TIME(" + unitName(l.a) + zoned(l.flag) + ")"
	case logicalTimestamp:
		return "TIMESTAMP(" + unitName(l.a) + zoned(l.flag) + ")"
	case logicalInteger:
		if l.flag {
			return fmt.Sprintf("INT(%d)", l.a)
		}
		return fmt.Sprintf("UINT(%d)", l.a)
	}
	if name, ok := logicalNames[l.id]; ok {
		return name
	}
	return fmt.Sprintf("logical type %d", l.id)
}
