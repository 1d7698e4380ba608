/** Resolves secrets that a document references. */
import type { Cli } from '../cli.ts';
import type { RedemptionEntry, SecretFrom } from './document.ts';

const VARIABLE = /^\$\{([A-Za-z_]\w*)\}$/;

/**
 * @param location the location in the document, for error messages.
 * @throws AppError `argument_invalid` for an unset variable or an unreadable file.
 */
export function secretFrom(cli: Cli, from: SecretFrom, location: string): string {
  if ('file' in from) return cli.values.file(location, from.file);
  const value = cli.io.env[from.env];
  if (!value) throw cli.values.refuse(location, 'env', { name: from.env });
  return value;
}

/** Expands a text that may be `${NAME}`. */
function expanded(cli: Cli, text: string, location: string): string {
  const name = VARIABLE.exec(text)?.[1];
  return name === undefined ? text : secretFrom(cli, { env: name }, location);
}

/**
 * The key of an entry, inline or referenced.
 * @throws AppError `argument_invalid` if both are given.
 */
export function secretKeyOf(
  cli: Cli,
  { key, keyFrom }: Pick<RedemptionEntry, 'key' | 'keyFrom'>,
  location: string,
): string | undefined {
  if (keyFrom === undefined) return key === undefined ? key : expanded(cli, key, `${location}.key`);
  if (key !== undefined)
    throw cli.values.refuse(`${location}.keyFrom`, 'not_both', { other: 'key' });
  return secretFrom(cli, keyFrom, `${location}.keyFrom`);
}
