import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PARTS } from './parts.ts';
import { withStub } from './variant.ts';

const STUBS = PARTS.flatMap(({ title, stubs }) => stubs.map((stub) => ({ title, ...stub })));

it.each(STUBS)('$file has the function $name, which "$title" replaces', (stub) => {
  const source = withStub(readFileSync(stub.file, 'utf8'), stub);
  expect(source).toContain(`const ${stub.name}: any`);
});
