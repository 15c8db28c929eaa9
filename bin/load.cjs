'use strict';
// Runs only under Node 24 or newer: the built program if there is one, else the sources as they are.
const { existsSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { homedir } = require('node:os');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

// Not Node's default place: the shared temporary folder, where other users could put code for us to run.
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'baton', 'compiled');
enableCompileCache?.(process.env.NODE_COMPILE_CACHE || cache);

const root = join(__dirname, '..');
const built = join(root, 'dist', 'main.mjs');
const entry = existsSync(built) ? built : join(root, 'src', 'main.ts');
import(pathToFileURL(entry).href).catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
