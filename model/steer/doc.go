// Package steer changes the topics of a fitted model as a person wishes, without the documents: topics get names and
// seeds, are merged, split and pinned, and items are banned or removed. Each wish is a Step, a line of a Script. A
// Session applies one after another to a model and takes them back; Save writes the result as a separate model.
//
// A step changes corners of the simplex in which the rows of C̄ lie (package anchor has the notation): a seed's corner
// is the mean row of its items, a split adds the item of a topic that lies farthest from the hull of all corners.
// Mixtures are then solved again, but only for items whose solution can change. What the model knew beside that, by its
// refinement or by drawing uncertain items towards the prior, stays: mixtures change by as much as the solutions do. So
// topics that no step touches stay what they are; docs/decisions/steering.md has the formulas and the measurements.
//
// Memory: a Session holds the mixtures and B of the model as it was and as it is, four N×K arrays of double precision,
// the rows in single precision, and for every step that can be undone the mixtures of the corners that it changed,
// without their zeros.
//
// The same script on the same model gives the same bytes, whatever the number of workers. A Session belongs to one
// goroutine; models that it returned do not change any more, and may be read by several.
package steer
