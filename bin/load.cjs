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

const built = join(__dirname, '..', 'dist', 'main.cjs');
if (existsSync(built)) require(built);
else
  import(pathToFileURL(join(__dirname, '..', 'src', 'main.ts')).href).catch((error) => {
    console.error(error);
    process.exitCode = 1;
  });
