/** Secrets that a document names instead of holding them. */
import type { Cli } from '../cli.ts';
import type { SecretFrom } from './document.ts';

const VARIABLE = /^\$\{([A-Za-z_]\w*)\}$/;

/**
 * @param place where the document names it, for the refusal.
 * @throws AppError `argument_invalid` for a variable that is not set and a file that cannot be read.
 */
export function secretFrom(cli: Cli, from: SecretFrom, place: string): string {
  if ('file' in from) return cli.values.file(place, from.file);
  const value = cli.io.env[from.env];
  if (!value) throw cli.values.refuse(place, 'env', { name: from.env });
  return value;
}

/** A text that may be `${NAME}`. */
function expanded(cli: Cli, text: string, place: string): string {
  const name = VARIABLE.exec(text)?.[1];
  return name === undefined ? text : secretFrom(cli, { env: name }, place);
}

interface Keyed {
  readonly key?: string | undefined;
  readonly keyFrom?: SecretFrom | undefined;
}

/** The key of an entry, wherever it stands. @throws AppError `argument_invalid` for two of them. */
export function keyOf(cli: Cli, { key, keyFrom }: Keyed, place: string): string | undefined {
  if (keyFrom === undefined) return key === undefined ? key : expanded(cli, key, `${place}.key`);
  if (key !== undefined) throw cli.values.refuse(`${place}.keyFrom`, 'not_both', { other: 'key' });
  return secretFrom(cli, keyFrom, `${place}.keyFrom`);
}
