// Draws points on a WebGL canvas, millions of them: a small renderer of our own, because the libraries that draw as many need eval or
// are several times as large as this whole page (docs/dependencies.md).
//
// The canvas is somewhat larger than the window on the map. When the camera moves, the browser only moves and scales the canvas, which
// needs no drawing. Meanwhile the points are drawn into a texture, in each frame as many as the machine has time for, and shown when all
// are there. So the map follows the hand at once, however many points there are, and becomes sharp a moment later.

/** @typedef {{x: number, y: number, scale: number}} Camera the point of the map in the middle, and device pixels per unit of the map */

const pointVertex = `#version 300 es
in float x, y, sure;
in uint topic;
uniform vec4 view;
uniform vec3 look; // size, opacity, 1 / items
uniform float first;
uniform sampler2D palette;
out vec4 colour;
out float size;
void main() {
  gl_Position = vec4(vec2(x, y) * view.xy + view.zw, 0, 1);
  float rank = (first + float(gl_VertexID)) * look.z;
  size = max(1.5, look.x * mix(1.9, 0.85, sqrt(sqrt(rank))));
  gl_PointSize = size;
  vec4 c = texelFetch(palette, ivec2(int(topic & 255u), int(topic >> 8)), 0);
  float alpha = look.y * mix(0.35, 1.0, sure) * c.a;
  colour = vec4(c.rgb * alpha, alpha);
}`;
const pointFragment = `#version 300 es
precision mediump float;
in vec4 colour;
in float size;
out vec4 o;
void main() {
  if (size < 2.5) { o = colour; return; }
  float r = length(gl_PointCoord * 2.0 - 1.0);
  o = colour * (1.0 - smoothstep(1.0 - 2.5 / size, 1.0, r));
}`;
const sceneVertex = `#version 300 es
out vec2 at; // from -1 to 1
void main() {
  at = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0;
  gl_Position = vec4(at, 0, 1);
}`;
const sceneFragment = `#version 300 es
precision highp float;
in vec2 at;
uniform sampler2D scene, before, doubt;
uniform vec4 place, placeBefore, map; // texture coordinates and places of the map from at
uniform vec2 mixed; // how much of the scene is shown beside the one before; its opacity
uniform vec4 hatch; // colour
uniform vec3 paper;
uniform vec2 stripes; // pixels of the map's units, width of a stripe
out vec4 o;
vec4 seen(sampler2D from, vec4 by) {
  vec2 uv = at * by.xy + by.zw;
  return texture(from, uv) * step(abs(uv.x - 0.5), 0.5) * step(abs(uv.y - 0.5), 0.5);
}
void main() {
  vec2 p = at * map.xy + map.zw;
  vec2 cell = p * 0.5 + 0.5;
  float doubtful = smoothstep(0.45, 0.6, texture(doubt, cell).r) * step(abs(p.x), 1.0) * step(abs(p.y), 1.0);
  float phase = fract((p.x + p.y) * stripes.x / stripes.y);
  float line = doubtful * hatch.a * (1.0 - smoothstep(0.1, 0.2, abs(phase - 0.5)));
  vec4 points = seen(scene, place);
  if (mixed.x < 1.0) points = mix(seen(before, placeBefore), points, mixed.x);
  points *= mixed.y;
  o = vec4(mix(paper * (1.0 - points.a) + points.rgb, mix(hatch.rgb, paper, points.a), line), 1); // stripes are light on dense points
}`;
const markVertex = `#version 300 es
in vec2 p;
in float size, kind;
in vec4 paint;
uniform vec4 view;
out vec4 colour;
out float wide, shape;
void main() {
  gl_Position = vec4(p * view.xy + view.zw, 0, 1);
  gl_PointSize = size;
  colour = paint; wide = size; shape = kind;
}`;
const markFragment = `#version 300 es
precision mediump float;
in vec4 colour;
in float wide, shape;
uniform vec3 paper;
uniform bool lines;
out vec4 o;
void main() {
  if (lines) { o = vec4(colour.rgb * colour.a, colour.a); return; }
  float r = length(gl_PointCoord * 2.0 - 1.0), edge = 2.0 / wide;
  float disc = 1.0 - smoothstep(1.0 - edge, 1.0, r);
  if (shape < 0.5) { // a ring
    float a = colour.a * disc * smoothstep(1.0 - 3.0 * edge, 1.0 - 2.0 * edge, r);
    o = vec4(colour.rgb * a, a);
  } else if (shape < 1.5) { // a disc with an edge of paper
    float core = 1.0 - smoothstep(1.0 - 1.7 * edge, 1.0 - 0.9 * edge, r);
    o = vec4(mix(paper, colour.rgb, core), 1.0) * disc * colour.a;
  } else { // a lighthouse: a light with a glow
    float inner = 1.0 - smoothstep(0.3, 0.3 + edge, r), rim = 1.0 - smoothstep(0.42, 0.42 + edge, r), glow = 0.35 * pow(1.0 - min(r, 1.0), 1.5);
    float a = max(rim, glow) * colour.a;
    o = vec4(mix(mix(colour.rgb, paper, step(0.001, rim) * rim), colour.rgb, inner) * a, a);
  }
}`;

/** How many numbers a mark has: x, y, size, kind, and its colour with opacity. */
const markNumbers = 8;
export const ring = 0, disc = 1, lighthouse = 2;
/** What of the width and the height of the canvas is beyond each side of the window. */
export const margin = 1 / 7;

/**
 * Returns what draws on a canvas, or null where there is no WebGL.
 * @param {HTMLCanvasElement} canvas
 */
export function painter(canvas) {
  const gl = canvas.getContext('webgl2', { alpha: false, antialias: false, depth: false, stencil: false });
  if (!gl) return null;
  const points = program(gl, pointVertex, pointFragment), whole = program(gl, sceneVertex, sceneFragment), marking = program(gl, markVertex, markFragment);
  const palette = texture(gl, gl.NEAREST), doubt = texture(gl, gl.LINEAR), nothing = gl.createVertexArray();
  const marks = vertices(gl, marking, gl.createBuffer(), [['p', 2, gl.FLOAT, 0], ['size', 1, gl.FLOAT, 8], ['kind', 1, gl.FLOAT, 12], ['paint', 4, gl.FLOAT, 16]], markNumbers * 4);
  gl.bindTexture(gl.TEXTURE_2D, doubt);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.R8, 1, 1, 0, gl.RED, gl.UNSIGNED_BYTE, new Uint8Array(1));
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);

  /** @type {{count: number, array: WebGLVertexArrayObject, buffer: WebGLBuffer}[]} */
  let chunks = [];
  let total = 1, width = 0, height = 0, look = [2, 1], lines = 0, drawn = 0;
  let colours = { paper: [1, 1, 1], hatch: [0, 0, 0, 0] };
  /** Textures of points: the one that is shown, the one before while it fades, and free ones. */
  let shown = null, before = null, spare = [];
  /** What is being drawn: into, from chunk `at` down to 0, from its point `from`. */
  let job = null;
  let stale = true, fading = false, fadeBegan = 0, budget = 60000;
  /** Is passed when the points of the last piece are drawn, and when these were asked for. */
  let fence = null, asked = 0, full = true, last = { x: 0, y: 0, scale: 0 };
  /** The camera of what the canvas shows, whether that is to be drawn again, and how pale it was. */
  let at = null, dirty = true, paleness = 1;

  function target() {
    if (spare.length > 0) return spare.pop();
    const t = { texture: texture(gl, gl.LINEAR), frame: gl.createFramebuffer(), wide: 0, tall: 0, camera: null };
    return t;
  }
  /** Begins to draw all points around where the camera is. */
  function begin(camera) {
    const t = target();
    gl.bindTexture(gl.TEXTURE_2D, t.texture);
    if (t.wide !== width || t.tall !== height) gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
    Object.assign(t, { wide: width, tall: height, camera: { ...camera } });
    gl.bindFramebuffer(gl.FRAMEBUFFER, t.frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, t.texture, 0);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    job = { target: t, at: chunks.length - 1, from: 0 };
    stale = false;
  }
  /** Draws a part of a chunk into a texture. */
  function draw(t, at, from, count) {
    gl.bindFramebuffer(gl.FRAMEBUFFER, t.frame);
    gl.viewport(0, 0, t.wide, t.tall);
    gl.useProgram(points.program);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, palette);
    gl.uniform1i(points.palette, 0);
    gl.uniform4f(points.view, ...viewOf(t.camera, t.wide, t.tall));
    gl.uniform3f(points.look, look[0], look[1], 1 / total);
    let first = 0;
    for (const chunk of chunks.slice(0, at)) first += chunk.count;
    gl.uniform1f(points.first, first);
    gl.bindVertexArray(chunks[at].array);
    gl.drawArrays(gl.POINTS, from, count);
  }
  /** Continues the drawing, when the last piece of it is done, with as many points as take less than two frames. */
  function work(now, moving) {
    if (fence) {
      if (gl.getSyncParameter(fence, gl.SYNC_STATUS) !== gl.SIGNALED) return;
      gl.deleteSync(fence);
      fence = null;
      budget = Math.min(4e6, Math.max(20000, budget * (now - asked > 40 ? 0.6 : now - asked < 20 && full ? 1.4 : 1)));
    }
    let left = moving ? Math.ceil(budget / 12) : budget; // moving comes first
    full = !moving;
    while (left > 0 && job.at >= 0) {
      const chunk = chunks[job.at], count = Math.min(Math.ceil(left), chunk.count - job.from);
      draw(job.target, job.at, job.from, count);
      left -= count;
      job.from += count;
      if (job.from === chunk.count) { job.at--; job.from = 0; }
    }
    [fence, asked] = [gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0), now];
    gl.flush();
    if (job.at >= 0) return;
    if (before) spare.push(before);
    before = null;
    if (fading && shown) { before = shown; fadeBegan = performance.now(); } else if (shown) spare.push(shown);
    fading = false;
    shown = job.target;
    job = null;
    dirty = true;
    drawn++;
  }
  /** Whether the texture that is shown is not what the camera sees. */
  const wrong = camera => !shown || shown.camera.scale !== camera.scale || shown.wide !== width || shown.tall !== height ||
    Math.abs(shown.camera.x - camera.x) * camera.scale > width * margin * 0.8 || Math.abs(shown.camera.y - camera.y) * camera.scale > height * margin * 0.8;
  /** Where the window lies in a texture, as factor and shift of coordinates from −1 to 1. Whole pixels keep points sharp. */
  function placeIn(t, camera) {
    if (!t) return [0, 0, -1, -1];
    const ratio = t.camera.scale / camera.scale, whole = ratio === 1 ? Math.round : v => v;
    return [width / 2 * ratio / t.wide, height / 2 * ratio / t.tall, whole((camera.x - t.camera.x) * t.camera.scale) / t.wide + 0.5, whole((camera.y - t.camera.y) * t.camera.scale) / t.tall + 0.5];
  }
  function bind(unit, t, uniform) {
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, t);
    gl.uniform1i(uniform, unit);
  }

  return {
    /** How many pictures of all points were finished. */
    get drawn() { return drawn; },
    get busy() { return Boolean(job || before || stale); },
    /** Adds a piece as the server sends it: behind x, y and item of n points come topic, share and reliability. */
    add(bytes, count, of) {
      const buffer = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, bytes, gl.STATIC_DRAW);
      const array = vertices(gl, points, buffer, [['x', 1, gl.FLOAT, 0], ['y', 1, gl.FLOAT, 4 * count], ['topic', 1, gl.UNSIGNED_SHORT, 12 * count], ['sure', 1, gl.UNSIGNED_BYTE, 15 * count]], 0).array;
      chunks.push({ count, array, buffer });
      total = of;
      if (shown && !job && !stale) draw(shown, chunks.length - 1, 0, count); // the others come on top later
      else stale = true;
      dirty = true;
    },
    /** Takes other pieces; the picture before fades. @param {{bytes: ArrayBuffer, count: number}[]} pieces */
    replace(pieces) {
      for (const chunk of chunks) { gl.deleteVertexArray(chunk.array); gl.deleteBuffer(chunk.buffer); }
      if (job) spare.push(job.target);
      [chunks, job, stale] = [[], null, true];
      const of = pieces.reduce((sum, piece) => sum + piece.count, 0);
      for (const piece of pieces) this.add(piece.bytes, piece.count, of);
      fading = true;
    },
    /** Draws everything again: colours have changed. */
    again(fade = false) {
      if (job) spare.push(job.target);
      job = null;
      stale = true;
      fading = fade;
    },
    /** @param {Uint8Array} rgba four bytes per topic */
    palette(rgba) {
      const rows = Math.ceil(rgba.length / 1024), padded = new Uint8Array(rows * 1024);
      padded.set(rgba);
      gl.bindTexture(gl.TEXTURE_2D, palette);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, rows, 0, gl.RGBA, gl.UNSIGNED_BYTE, padded);
    },
    /** Colours from 0 to 1. */
    colours(paper, hatch) { colours = { paper, hatch }; dirty = true; },
    /** @param {Uint8Array} cells of a square raster, how much is doubted */
    doubt(cells, side) {
      gl.bindTexture(gl.TEXTURE_2D, doubt);
      gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.R8, side, side, 0, gl.RED, gl.UNSIGNED_BYTE, cells);
      gl.pixelStorei(gl.UNPACK_ALIGNMENT, 4);
      dirty = true;
    },
    /** What is drawn over the points: the first `ends` marks are ends of lines. @param {Float32Array} list */
    marks(list, ends) {
      gl.bindBuffer(gl.ARRAY_BUFFER, marks.buffer);
      gl.bufferData(gl.ARRAY_BUFFER, list, gl.DYNAMIC_DRAW);
      [marks.count, lines, dirty] = [list.length / markNumbers, ends, true];
    },
    /** The size of points in pixels, and their opacity; new values are used with the next picture of all. */
    look(size, opacity) { look = [size, opacity]; },
    /** The camera of what the canvas shows. @returns {Camera} */
    get at() { return at; },
    /** Does the work of a frame. Returns whether another one is wanted. @param {Camera} camera @param {number} dim the opacity of the points */
    frame(camera, now, dim, stripe) {
      if (width !== canvas.width || height !== canvas.height) [width, height, dirty] = [canvas.width, canvas.height, true];
      if (!job && !before && (stale || wrong(camera))) begin(camera);
      if (job) work(now, last.x !== camera.x || last.y !== camera.y || last.scale !== camera.scale);
      last = { ...camera };
      if (!dirty && !before && paleness === dim && shown) return Boolean(job || stale || wrong(camera));
      [dirty, paleness, at] = [false, dim, { ...camera }];
      const fade = before ? Math.min(1, (now - fadeBegan) / 600) : 1;
      if (fade === 1 && before) { spare.push(before); before = null; }
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      gl.viewport(0, 0, width, height);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT);
      gl.useProgram(whole.program);
      const first = shown ?? job?.target; // nothing is finished yet: show what is there
      bind(0, first?.texture ?? palette, whole.scene);
      bind(1, before?.texture ?? palette, whole.before);
      bind(2, doubt, whole.doubt);
      gl.uniform4f(whole.place, ...placeIn(first, camera));
      gl.uniform4f(whole.placeBefore, ...placeIn(before, camera));
      gl.uniform4f(whole.map, width / 2 / camera.scale, height / 2 / camera.scale, camera.x, camera.y);
      gl.uniform2f(whole.mixed, fade * fade * (3 - 2 * fade), dim);
      gl.uniform4f(whole.hatch, ...colours.hatch);
      gl.uniform3f(whole.paper, ...colours.paper);
      gl.uniform2f(whole.stripes, camera.scale, stripe);
      gl.bindVertexArray(nothing);
      gl.disable(gl.BLEND);
      gl.drawArrays(gl.TRIANGLES, 0, 3);
      gl.enable(gl.BLEND);
      if (marks.count > 0) {
        gl.useProgram(marking.program);
        gl.uniform4f(marking.view, ...viewOf(camera, width, height));
        gl.uniform3f(marking.paper, ...colours.paper);
        gl.bindVertexArray(marks.array);
        if (lines > 0) {
          gl.uniform1i(marking.lines, 1);
          gl.drawArrays(gl.LINES, 0, lines);
        }
        gl.uniform1i(marking.lines, 0);
        gl.drawArrays(gl.POINTS, lines, marks.count - lines);
      }
      return Boolean(job || before || stale || wrong(camera));
    },
  };
}

/** Factor and shift from places of the map to coordinates from −1 to 1. */
const viewOf = (camera, wide, tall) => [2 * camera.scale / wide, 2 * camera.scale / tall, -camera.x * 2 * camera.scale / wide, -camera.y * 2 * camera.scale / tall];

/** Returns a program with the places of its uniforms by name. */
function program(gl, vertex, fragment) {
  const made = { program: gl.createProgram() };
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(made.program, shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) throw new Error(gl.getShaderInfoLog(shader) ?? 'a shader');
  }
  gl.linkProgram(made.program);
  for (let i = gl.getProgramParameter(made.program, gl.ACTIVE_UNIFORMS) - 1; i >= 0; i--) {
    const { name } = gl.getActiveUniform(made.program, i);
    made[name] = gl.getUniformLocation(made.program, name);
  }
  return made;
}

/** Returns an array of the attributes of a program: name, numbers, type and offset in the buffer. Shorts stay whole numbers. */
function vertices(gl, of, buffer, attributes, stride) {
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  for (const [name, numbers, type, offset] of attributes) {
    const at = gl.getAttribLocation(of.program, name);
    if (at < 0) continue;
    gl.enableVertexAttribArray(at);
    if (type === gl.UNSIGNED_SHORT) gl.vertexAttribIPointer(at, numbers, type, stride, offset);
    else gl.vertexAttribPointer(at, numbers, type, type === gl.UNSIGNED_BYTE, stride, offset);
  }
  gl.bindVertexArray(null);
  return { array, buffer, count: 0 };
}

function texture(gl, filter) {
  const made = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, made);
  for (const [name, value] of [[gl.TEXTURE_MIN_FILTER, filter], [gl.TEXTURE_MAG_FILTER, filter], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]]) gl.texParameteri(gl.TEXTURE_2D, name, value);
  return made;
}
