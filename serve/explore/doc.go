// Package explore shows a model in a browser, from a server on this machine: a search among all items, what the model
// knows of each, the documents of a topic, baskets that it completes, and two models side by side; and topics that a
// person changes step by step, by package steer. What fits into one file is a page of package report.
//
// A Server holds the model in memory and an index of the names of its N items: about their bytes and 12·N more. Of the
// documents it keeps the DocumentsPerTopic that have most of each topic. With the first step, it also holds a
// steer.Session, which loads the model once more.
//
// Requests must show a token: the address that Server.URL returns has it, and then a cookie. Requests by other
// names than those of the machine, and from pages of other sites, are refused. It writes nothing but the steered model,
// where Options.Output says, when somebody asks for that.
//
// The page is HTML, CSS and JavaScript in the folder web, which the program carries with it as they are. It loads
// nothing from elsewhere, and names from data reach it as text only.
package explore
