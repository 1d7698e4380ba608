/** Builds the gateway with functions replaced. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import type { Stub } from './parts.ts';

const COPIED = ['bin', 'build.mjs', 'package.json', 'package-lock.json', 'src'];
const LINKED = ['migrations', 'node_modules'];

/**
 * Returns the folder of a copy of the project whose server is built with these stubs.
 * @throws Error if a function is not found, so that the list of parts stays true.
 */
export async function buildVariant(stubs: readonly Stub[]): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gateway-variant-'));
  for (const name of COPIED) cpSync(name, path.join(folder, name), { recursive: true });
  for (const name of LINKED) symlinkSync(path.resolve(name), path.join(folder, name));
  mkdirSync(path.join(folder, 'dist'));
  symlinkSync(path.resolve('dist/web'), path.join(folder, 'dist/web'));
  for (const stub of stubs) {
    const file = path.join(folder, stub.file);
    writeFileSync(file, withStub(readFileSync(file, 'utf8'), stub));
  }
  await execa(process.execPath, ['build.mjs', '--server'], { cwd: folder });
  return folder;
}

export function withStub(source: string, { file, name, stub }: Stub): string {
  const declaration = new RegExp(`^(export )?(async )?function ${name}\\b`, 'm');
  const [, exported = ''] = declaration.exec(source) ?? fail(`${file} has no function ${name}`);
  const renamed = source.replace(declaration, `$2function whole_${name}`);
  return `${renamed}\n${exported}const ${name}: any = (whole => ${stub})(whole_${name});\n`;
}

function fail(message: string): never {
  throw new Error(message);
}
