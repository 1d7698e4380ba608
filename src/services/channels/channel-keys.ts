/**
 * Compares a channel's submitted keys with the stored ones: a key that is already stored keeps its
 * row, and with it its status and cooldown.
 */
import { createPrivateKey } from 'node:crypto';
import type { Context } from '../../context.ts';
import { isMaskedKey, keyHint, splitKeyText } from '../../domain/channels/channel-keys.ts';
import {
  type KeyProblem,
  keyProblem,
  readServiceAccount,
  VERTEX,
} from '../../domain/channels/cloud-keys.ts';
import type { ErrorReason } from '../../domain/errors/error-reasons.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import type { ChannelKeyRow, NewChannelKey } from '../../store/tables/channel-keys-table.ts';
import type { ChannelFields } from '../../store/tables/channels-table.ts';

type TypeFields = Pick<ChannelFields, 'type' | 'other'>;

export interface ResolvedKeys {
  /** Rows to keep and keys to insert, in order. Stored rows not listed are deleted. */
  readonly keys: readonly (ChannelKeyRow | NewChannelKey)[];
  readonly isChanged: boolean;
  /** A stored key was sent as its mask, so the sender need not know it. */
  readonly hasMasked: boolean;
}

/**
 * Each piece of the text is a full stored key, the mask of a stored key, or a new key.
 * @throws AppError `input_invalid` if the text has no key or one that the channel's type cannot
 * use, `channel_key_masked` and `channel_key_ambiguous` for a mask that does not identify one
 * stored key.
 */
export function resolveKeys(
  ctx: Context,
  text: string,
  fields: TypeFields,
  stored: readonly ChannelKeyRow[],
): ResolvedKeys {
  const pieces = splitKeyText(text);
  if (pieces.length === 0) throw invalidInput('key', 'empty');
  const inFull = grouped(stored, (row) => ctx.secrets.decrypt(row.key_cipher));
  const known = pieces.map((piece) => inFull.get(piece)?.shift());
  const masked = rowsOfMasks(pieces, known, stored);
  const seen = new Set<string>();
  const keys = pieces.flatMap((piece, at): (ChannelKeyRow | NewChannelKey)[] => {
    const row = known[at] ?? masked.get(at);
    const isRepeated = seen.has(piece);
    seen.add(piece);
    if (row !== undefined) return [row];
    if (isRepeated) return [];
    requireUsableKey(fields, piece);
    return [encryptKey(ctx, piece)];
  });
  const isChanged = keys.length !== stored.length || keys.some((key, at) => key !== stored[at]);
  return { keys, isChanged, hasMasked: masked.size > 0 };
}

/** The keys of a channel that is not stored yet. @throws AppError as `resolveKeys`. */
export function newChannelKeys(
  ctx: Context,
  text: string,
  fields: TypeFields,
): readonly NewChannelKey[] {
  return resolveKeys(ctx, text, fields, []).keys;
}

/**
 * The stored key of each mask, by the mask's position. If several keys have the same mask, it must
 * be sent once for each of them; otherwise it would be ambiguous which to keep.
 */
function rowsOfMasks(
  pieces: readonly string[],
  known: readonly (ChannelKeyRow | undefined)[],
  stored: readonly ChannelKeyRow[],
): Map<number, ChannelKeyRow> {
  const taken = new Set(known);
  const byHint = grouped(
    stored.filter((row) => !taken.has(row)),
    (row) => row.key_hint,
  );
  const masks = [...pieces.keys()].filter(
    (at) => known[at] === undefined && isMaskedKey(pieces[at] ?? ''),
  );
  const rows = new Map<number, ChannelKeyRow>();
  for (const [mask, positions] of grouped(masks, (at) => pieces[at] ?? '')) {
    const behind = byHint.get(mask) ?? [];
    if (behind.length > positions.length) throw refusedMask('channel_key_ambiguous', positions[0]);
    for (const [index, at] of positions.entries()) {
      const row = behind[index];
      if (row === undefined) throw refusedMask('channel_key_masked', at);
      rows.set(at, row);
    }
  }
  return rows;
}

/** Reports only the position, not the text, which may hold part of a key. */
function refusedMask(code: 'channel_key_masked' | 'channel_key_ambiguous', at = 0): AppError {
  return new AppError(code, { field: 'key', number: at + 1 }, { param: 'key' });
}

function grouped<T>(items: readonly T[], nameOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const name = nameOf(item);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return groups;
}

function encryptKey(ctx: Context, key: string): NewChannelKey {
  return { key_cipher: ctx.secrets.encrypt(key), key_hint: keyHint(key) };
}

const KEY_PROBLEMS: Readonly<Record<KeyProblem['word'], ErrorReason>> = {
  awsParts: 'key_aws_parts',
  awsRegion: 'key_aws_region',
  json: 'key_json',
  missing: 'key_lacks',
  pem: 'key_pem',
  tokenUri: 'key_token_uri',
};

/** The error contains nothing of the key itself. */
function requireUsableKey({ type, other }: TypeFields, key: string): void {
  const problem = keyProblem(type, key, other);
  if (problem !== undefined)
    throw invalidInput('key', KEY_PROBLEMS[problem.word], { name: problem.field ?? '' });
  const pem = type === VERTEX ? readServiceAccount(key)?.privateKey : undefined;
  if (pem !== undefined && !isPrivateKey(pem))
    throw invalidInput('key', 'key_pem', { name: 'private_key' });
}

function isPrivateKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    // OpenSSL throws on invalid input; the user does not need the reason.
    return false;
  }
}

/** The masked keys, shown in place of the keys. */
export function maskedKey(keys: readonly ChannelKeyRow[]): string {
  return keys.map((row) => row.key_hint).join(',');
}

export function decryptKeys(ctx: Context, keys: readonly ChannelKeyRow[]): string {
  return keys.map((row) => ctx.secrets.decrypt(row.key_cipher)).join(',');
}
