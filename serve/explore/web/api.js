// Asks the server.

/** An answer that says why it has no result. */
export class Refused extends Error {
  /** @param {number} status @param {{code: string, message: string}} error */
  constructor(status, error) {
    super(error.message);
    this.status = status;
    this.code = error.code;
  }
}

/**
 * @param {string} path
 * @param {RequestInit} [init]
 * @returns {Promise<any>}
 */
async function ask(path, init = {}) {
  let response;
  try {
    response = await fetch(path, { credentials: 'same-origin', ...init });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Refused(0, { code: 'gone', message: 'The server does not answer: has anchorage explore ended?' });
  }
  const body = await response.json();
  if (!response.ok) throw new Refused(response.status, body.error);
  return body;
}

/** @param {string} path @param {Object<string, any>} [query] @param {AbortSignal} [signal] */
export function get(path, query = {}, signal) {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined && value !== '') parameters.set(key, String(value));
  const text = parameters.toString();
  return ask(`/api/${path}${text && '?' + text}`, { signal });
}

/** @param {string} path @param {any} body @param {AbortSignal} [signal] */
export function post(path, body, signal) {
  return ask(`/api/${path}`, { method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' }, signal });
}

/**
 * Returns a function that runs fn and abandons the run before, so that a late answer never takes the place of a newer one. Its method abandon
 * does so without another run.
 * @template T
 * @param {(signal: AbortSignal, argument: T) => Promise<void>} fn
 */
export function latest(fn) {
  let running = new AbortController();
  const run = async (/** @type {T} */ argument) => {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    try {
      await fn(signal, argument);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };
  run.abandon = () => running.abort();
  return run;
}
