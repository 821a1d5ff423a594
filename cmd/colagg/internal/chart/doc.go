// Package chart draws line charts as one SVG document.
//
// A Page has panels side by side, all with the same lines, and one legend for
// them. Lines differ by colour and by the shape of their marks, so that the
// picture can be read without colours; the page has a background of its own,
// light or dark as the reader's system is set. Title and description are the
// document's accessible name.
//
// Libraries that draw charts bring rasterisers and fonts along, which add 3 MB
// to a program; these pictures need lines, marks and text.
package chart
