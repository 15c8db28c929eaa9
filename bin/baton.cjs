#!/usr/bin/env node
'use strict';
// Old syntax on purpose: any Node must be able to read this file, find a newer Node, or say what is missing.
var FLOOR = 24;

function isNewEnough(version) {
  return parseInt(version, 10) >= FLOOR;
}

if (isNewEnough(process.versions.node)) {
  require('./load.cjs');
} else {
  startUnder(findNode());
}

function findNode() {
  var fs = require('fs');
  var path = require('path');
  var own = path.join(__dirname, '..', 'node_modules', 'node', 'bin', 'node');
  if (fs.existsSync(own)) return own;
  var folders = (process.env.PATH || '').split(path.delimiter).filter(path.isAbsolute);
  var candidates = [];
  ['node' + FLOOR, 'node'].forEach(function (name) {
    folders.forEach(function (folder) {
      candidates.push(path.join(folder, name));
    });
  });
  return candidates.filter(function (file) {
    return fs.existsSync(file) && isNewEnough(versionOf(file));
  })[0];
}

function versionOf(file) {
  var asked = require('child_process').spawnSync(file, ['-p', 'process.versions.node']);
  return String(asked.stdout || '');
}

function startUnder(node) {
  if (!node) {
    console.error(
      'baton needs Node ' +
        FLOOR +
        ' or newer; this is Node ' +
        process.versions.node +
        ' (' +
        process.execPath +
        ').',
    );
    console.error(
      'Install it from https://nodejs.org, or put one on the PATH as node' + FLOOR + ', and run baton again.',
    );
    process.exit(1);
  }
  var load = require('path').join(__dirname, 'load.cjs');
  var kid = require('child_process').spawn(node, [load].concat(process.argv.slice(2)), { stdio: 'inherit' });
  passSignals(kid);
  kid.on('error', function (error) {
    console.error('baton could not start ' + node + ': ' + error.message);
    process.exit(1);
  });
  kid.on('exit', function (code, signal) {
    if (!signal) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

// On a terminal, Ctrl-C and hang-up reach the child by themselves (same process group), and a second one would
// mean "at once". Either way this process stays until the child, which says how to go on, has ended.
function passSignals(kid) {
  var tty = require('tty');
  var onTerminal = tty.isatty(0) || tty.isatty(1) || tty.isatty(2);
  ['SIGINT', 'SIGTERM', 'SIGHUP'].forEach(function (name) {
    process.on(name, function () {
      if (name === 'SIGINT' && onTerminal) return;
      kid.kill(name);
    });
  });
}
