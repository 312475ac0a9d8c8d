// Keeps what all views need of the model: what it is, and its topics. Steering makes it ask again.

import { get } from './api.js';

/**
 * @typedef {{item: number, name: string, value: number}} Listed
 * @typedef {{topic: number, id: number, label: string, name: string, share: number, hue: number, anchor: Listed | null, agreement: number | null, prominent: Listed[]}} Topic
 * @typedef {{state: string, documents: number, error?: string}} Reading
 * @typedef {{version: number, path: string, program: string, items: number, topics: number, documents: number, other: string, levels: number, trends: boolean, steers: boolean, reading: Reading}} About
 */

/** @type {Promise<About> | null} */
let about = null;
/** @type {Promise<Topic[]> | null} */
let topics = null;

export const model = {
  /** @returns {Promise<About>} */
  about: () => (about ??= get('model').catch(error => { about = null; throw error; })),
  /** @returns {Promise<Topic[]>} */
  topics: () => (topics ??= get('topics').catch(error => { topics = null; throw error; })),
  /** Forgets what was asked: the model is another one. */
  forget() { about = topics = null; },
};
