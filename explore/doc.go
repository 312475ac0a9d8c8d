// Package explore shows a model in a browser.
package explore
