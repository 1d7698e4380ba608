/** Reads and validates a document before the site is accessed. */
import { parseDocument } from '../../api/local.ts';
import { yamlProblem, yamlValue } from '../../session/yaml.ts';
import type { Cli } from '../cli.ts';
import { SiteFile } from './document.ts';
import { namingLocations } from './error-locations.ts';

/**
 * @param path a YAML or JSON file; `-` is stdin.
 * @throws AppError `input_invalid` naming the location, `argument_invalid`.
 */
export async function readSiteFile(
  cli: Cli,
  path: string | undefined,
): Promise<{ readonly file: SiteFile; readonly text: string }> {
  if (path === undefined) throw cli.values.refuse('--file', 'missing');
  const { text, value } = await readDocument(cli, '--file', path);
  return { file: await namingLocations(text, cli.t, () => parseDocument(SiteFile, value)), text };
}

/** @throws AppError `argument_invalid` with `name` for a file without a document. */
export async function readDocument(
  cli: Cli,
  name: string,
  path: string,
): Promise<{ readonly text: string; readonly value: object }> {
  const text = await cli.fileText(name, path);
  const value = yamlValue(text);
  if (value === null) throw cli.values.refuse(name, 'empty_document');
  if (typeof value !== 'object') throw cli.values.refuse(name, ...yamlProblem(text));
  return { text, value };
}
