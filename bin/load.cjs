'use strict';
// Runs only under Node 24 or newer: the built program if there is one, else the sources as they are.
const {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} = require('node:fs');
const { homedir } = require('node:os');
const { join } = require('node:path');
const { constants, Script } = require('node:vm');

// Not Node's default place: the shared temporary folder, where other users could put code for us to run.
const own = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'baton', 'compiled');
const cache = process.env.NODE_COMPILE_CACHE || own;
const dist = join(__dirname, '..', 'dist');

if (existsSync(join(dist, 'main.cjs'))) runBuilt();
else runSources();

function runSources() {
  const { enableCompileCache } = require('node:module');
  const { pathToFileURL } = require('node:url');
  enableCompileCache?.(cache);
  import(pathToFileURL(join(__dirname, '..', 'src', 'main.ts')).href).catch((error) => {
    console.error(error);
    process.exitCode = 1;
  });
}

/**
 * Node's own cache holds a file as it was before it ran, so that each function is compiled anew in each process: 25 ms
 * of an answer. Here it is kept as it was at the end, a cache for each command, for the next time that it is given.
 */
function runBuilt() {
  const main = readFileSync(join(dist, 'main.cjs'), 'utf8');
  const command = /^[a-z]+$/.test(process.argv[2] ?? '') ? process.argv[2] : 'options';
  const folder = join(cache, `${process.version}-${process.arch}`);
  const kept = readCache(join(folder, command), main);
  const modules = new Map();
  const scripts = new Map();
  // The first time a command is given it may have had little to do: once a day what it needed since is added.
  let missed = isOld(join(folder, command));

  const load = (name) => {
    const known = modules.get(name);
    if (known) return known.exports;
    const module = { exports: {} };
    modules.set(name, module);
    const filename = join(dist, name);
    const source = name === 'main.cjs' ? main : readFileSync(filename, 'utf8');
    const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
      filename,
      cachedData: kept.get(name),
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    scripts.set(name, script);
    missed ||= script.cachedDataRejected !== false;
    const requireFrom = (id) => (id.startsWith('./') ? load(id.slice(2)) : require(id));
    script.runInThisContext()(module.exports, requireFrom, module, filename, dist);
    return module.exports;
  };

  process.on('exit', (code) => {
    // What was no command leaves nothing behind.
    if (!missed || code === 2) return;
    for (const [name, script] of scripts) kept.set(name, script.createCachedData());
    writeCache(folder, command, main, kept);
  });
  load('main.cjs');
}

function isOld(file) {
  const made = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Date.now() - made > 24 * 60 * 60 * 1000;
}

/** Compiled files of exactly this build, by name: its entry names all others by their content. */
function readCache(file, main) {
  try {
    const whole = readFileSync(file);
    const start = whole.indexOf(0) + 1;
    const header = JSON.parse(whole.toString('utf8', 0, start - 1));
    if (header.main !== main || whole.length !== start + header.length) return new Map();
    return new Map(header.parts.map(([name, at, end]) => [name, whole.subarray(start + at, start + end)]));
  } catch {
    return new Map(); // not there yet, or not readable: everything is compiled
  }
}

/** Seen whole or not at all. Where nothing can be written there is no cache. */
function writeCache(folder, command, main, compiled) {
  const aside = join(folder, `${command}.${process.pid}`);
  const parts = [];
  let length = 0;
  for (const [name, data] of compiled) {
    parts.push([name, length, length + data.length]);
    length += data.length;
  }
  const header = Buffer.from(`${JSON.stringify({ main, length, parts })}\0`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    return;
  }
  try {
    writeFileSync(aside, Buffer.concat([header, ...compiled.values()]), { mode: 0o600, flush: true });
    renameSync(aside, join(folder, command));
  } catch {
    rmSync(aside, { force: true });
  }
}
