// Compares results of networks, run through the binding, with stored results: node answers.js PACKAGE MODELS DELEGATE
'use strict';
const fs = require('fs');
const path = require('path');

const [, , packageFolder, models, delegate] = process.argv;
const { TFLiteNodeModelRunner } = require(path.join(packageFolder, 'dist/index.js'));

const TYPES = {
  '<f4': Float32Array, '<f8': Float64Array, '|i1': Int8Array, '|u1': Uint8Array, '|b1': Uint8Array, '<i2': Int16Array,
  '<i4': Int32Array, '<u4': Uint32Array, '<i8': BigInt64Array, '<u8': BigUint64Array,
};

// The elements of an .npy file: a header with the type, then the data.
function npy(file) {
  const bytes = fs.readFileSync(file);
  const [size, at] = bytes[6] === 1 ? [bytes.readUInt16LE(8), 10] : [bytes.readUInt32LE(8), 12];
  const type = TYPES[/'descr': *'([^']*)'/.exec(bytes.toString('latin1', at, at + size))[1]];
  const data = bytes.subarray(at + size);
  return new type(data.buffer.slice(data.byteOffset, data.byteOffset + data.length));
}

// Describes the first element that differs by more than the tolerance; null if there is none.
function difference(found, wanted, tolerance) {
  if (found.length !== wanted.length) {
    return `${found.length} elements, not ${wanted.length}`;
  }
  const isFloat = wanted instanceof Float32Array || wanted instanceof Float64Array;
  for (let i = 0; i < wanted.length; i++) {
    const [a, b] = [Number(found[i]), Number(wanted[i])];
    const limit = isFloat ? tolerance.float_abs + tolerance.float_rel * Math.abs(b) : tolerance.int_steps;
    if (!(Math.abs(a - b) <= limit) && !Object.is(a, b)) {
      return `element ${i} is ${a}, not ${b}`;
    }
  }
  return null;
}

function check(name, options) {
  const file = (which) => path.join(models, name, which);
  const test = JSON.parse(fs.readFileSync(file('case.json')));
  const model = fs.readFileSync(file('model.tflite'));
  const bytes = model.buffer.slice(model.byteOffset, model.byteOffset + model.length);
  const runner = new TFLiteNodeModelRunner(bytes, options);
  const [inputs, outputs] = [runner.getInputs(), runner.getOutputs()];
  inputs.forEach((input, k) => input.data().set(npy(file(`in_${k}.npy`))));
  if (runner.infer() === false) {
    return 'infer() failed';
  }
  for (let k = 0; k < outputs.length; k++) {
    const found = difference(outputs[k].data(), npy(file(`out_${k}.npy`)), test.tolerance);
    if (found) {
      return `output ${k}: ${found}`;
    }
  }
  return null;
}

const names = fs.readdirSync(models).filter((name) => fs.existsSync(path.join(models, name, 'case.json')));
const cases = names.map((name) => [name, name, { threads: 2 }]);
for (const name of names.filter((name) => name.endsWith('_f32'))) {
  cases.push([`${name}, external delegate`, name, { threads: 1, delegate: { path: delegate, options: [['verbose', '0']] } }]);
}
let failed = 0;
for (const [title, name, options] of cases) {
  let wrong;
  try {
    wrong = check(name, options);
  } catch (error) {
    wrong = String(error);
  }
  failed += wrong ? 1 : 0;
  console.log(`${wrong ? 'WRONG' : 'right'}  ${title}${wrong ? `: ${wrong}` : ''}`);
}
console.log(`${cases.length - failed} of ${cases.length} right`);
process.exit(failed || cases.length === 0 ? 1 : 0);
