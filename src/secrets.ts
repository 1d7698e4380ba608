/**
 * Encryption of stored secrets. One master key (from the environment, or a file of mode 0600 in the
 * data folder) yields a key per purpose by HKDF (RFC 5869): for encryption (AES-256-GCM) and for
 * the keyed hash that finds API tokens without storing them in readable form.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
} from 'node:crypto';
import { chmodSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from './config.ts';
import { AppError } from './domain/errors/errors.ts';
import { withoutKeyPrefix } from './domain/token-key.ts';
import { createFolder } from './folders.ts';

export interface Secrets {
  /**
   * `v1:` + base64 of nonce (12), tag (16) and cipher text. The nonce is random, so encrypting the
   * same text twice gives different results.
   */
  encrypt(text: string): string;
  /** @throws AppError `secret_key_wrong` if the text was encrypted with another key or altered. */
  decrypt(sealed: string): string;
  /** Whether the text is encrypted with the newest key. */
  isCurrent(sealed: string): boolean;
  /** Hex HMAC-SHA256 of an API token or access token: 64 characters. */
  hash(text: string): string;
}

export interface FurtherKeys {
  /** The previous key: decrypts existing values and is never used to encrypt. */
  readonly old?: Buffer | undefined;
  /** The hash key, unless it is derived from `old` or, without `old`, from the master key. */
  readonly hashKey?: Buffer | undefined;
  /** Where the master key was read from, for errors: the name of a variable or of a file. */
  readonly source?: string;
}

const VERSION = 'v1:';
const KEY_FILE = 'secret.key';
const KEY_VARIABLE = 'GATEWAY_SECRET_KEY';
const OLD_KEY_VARIABLE = 'GATEWAY_SECRET_KEY_OLD';
const MIN_KEY_CHARS = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function createSecrets(
  master: Buffer,
  { old, hashKey, source = KEY_FILE }: FurtherKeys = {},
): Secrets {
  const current = derive(master, 'encryption');
  const older = old === undefined ? undefined : derive(old, 'encryption');
  const hashedWith = hashKey ?? hashKeyOf(old ?? master);
  return {
    encrypt: (text) => sealWith(text, current),
    decrypt(text) {
      const opened = openWith(text, current) ?? (older && openWith(text, older));
      if (opened === undefined) throw new AppError('secret_key_wrong', { source });
      return opened;
    },
    isCurrent: (text) => openWith(text, current) !== undefined,
    hash: (text) => createHmac('sha256', hashedWith).update(text).digest('hex'),
  };
}

/** Derives the hash key from a master key. */
export function hashKeyOf(master: Buffer): Buffer {
  return derive(master, 'token-hash');
}

function sealWith(text: string, key: Buffer): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return VERSION + Buffer.concat([nonce, cipher.getAuthTag(), bytes]).toString('base64');
}

/** Undefined when the text was encrypted with another key or altered. */
function openWith(text: string, key: Buffer): string | undefined {
  if (!text.startsWith(VERSION)) return undefined;
  const bytes = Buffer.from(text.slice(VERSION.length), 'base64');
  const tagEnd = NONCE_BYTES + TAG_BYTES;
  if (bytes.length < tagEnd) return undefined;
  try {
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const opening = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
    opening.setAuthTag(bytes.subarray(NONCE_BYTES, tagEnd));
    const plain = Buffer.concat([opening.update(bytes.subarray(tagEnd)), opening.final()]);
    return plain.toString('utf8');
  } catch {
    // The tag does not match: a wrong key and an altered text cannot be told apart.
    return undefined;
  }
}

export interface MasterKeys {
  readonly current: Buffer;
  /** Set while the secret key is being changed: decrypts what is not re-encrypted yet. */
  readonly old: Buffer | undefined;
  /** Where `current` was read from: the name of a variable or of a file. */
  readonly source: string;
}

/**
 * The master key of this site. `mayCreate` is false when the database already holds encrypted
 * values: a new key could not read them, so a lost key file is an error.
 */
export function loadMasterKeys(config: Config, mayCreate: boolean): MasterKeys {
  if (masterKeyText(config) === undefined) {
    if (!mayCreate) throw new AppError('secret_key_missing', { file: keyFile(config) });
    writeMasterKey(config, randomBytes(32).toString('base64'));
  }
  const old = oldKeyText(config);
  const isGiven = config.secretKey.open() !== '';
  const source = isGiven ? KEY_VARIABLE : KEY_FILE;
  const oldSource = config.oldSecretKey.open() === '' ? oldKeyFile(config) : OLD_KEY_VARIABLE;
  return {
    current: keyFromText(masterKeyText(config) ?? '', isGiven ? source : keyFile(config)),
    old: old === undefined ? undefined : keyFromText(old, oldSource),
    source,
  };
}

/** The configured key, or the one in the key file; undefined if neither exists. */
export function masterKeyText(config: Config): string | undefined {
  return config.secretKey.open() || textOfFile(keyFile(config));
}

/** The key being replaced, if any. */
export function oldKeyText(config: Config): string | undefined {
  return config.oldSecretKey.open() || textOfFile(oldKeyFile(config));
}

function textOfFile(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  // Container engines make a folder of a file that is mounted but does not exist.
  if (found?.isDirectory()) throw new AppError('secret_key_missing', { file });
  return found === undefined ? undefined : readFileSync(file, 'utf8').trim();
}

/** Writes the key file. Fails if it exists. */
export function writeMasterKey(config: Config, text: string): void {
  createFolder(config.dataDir);
  writeFileSync(keyFile(config), `${text}\n`, { mode: 0o600, flag: 'wx' });
  chmodSync(keyFile(config), 0o600);
}

/**
 * Replaces the key in the key file with a fresh one and keeps the old one beside it until
 * `removeOldKey`. If interrupted at any point, the key files still open the site and the call can
 * be repeated; it does not start a second change while one is in progress.
 */
export function replaceMasterKey(config: Config): void {
  const [file, oldFile] = [keyFile(config), oldKeyFile(config)];
  const [now, before] = [textOfFile(file), textOfFile(oldFile)];
  if (now === undefined) throw new AppError('secret_key_missing', { file });
  if (before !== undefined && before !== now) return;
  writeAtomically(oldFile, now);
  writeAtomically(file, randomBytes(32).toString('base64'));
}

export function removeOldKey(config: Config): void {
  rmSync(oldKeyFile(config), { force: true });
}

/** Writes the file atomically, flushed to disk before returning, and readable only by the owner. */
function writeAtomically(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  rmSync(draft, { force: true });
  writeFileSync(draft, `${text}\n`, { mode: 0o600, flag: 'wx', flush: true });
  renameSync(draft, file);
}

export function keyFile(config: Config): string {
  return path.join(config.dataDir, KEY_FILE);
}

export function oldKeyFile(config: Config): string {
  return `${keyFile(config)}.old`;
}

/** Fingerprint that distinguishes keys without revealing them. */
export function keyFingerprint(master: string): string {
  return createSecrets(keyFromText(master, KEY_VARIABLE)).hash('which key is this');
}

/** @param source a variable or a path. @throws AppError `secret_key_short`. */
function keyFromText(text: string, source: string): Buffer {
  if (text.length < MIN_KEY_CHARS)
    throw new AppError('secret_key_short', { source, least: MIN_KEY_CHARS });
  return Buffer.from(text, 'utf8');
}

function derive(master: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master, 'ai-model-gateway', purpose, 32));
}

type HashOf = Secrets['hash'];

/** A key as stored: without `sk-` and without a channel suffix. */
function storedKeyOf(text: string): string {
  return withoutKeyPrefix(text.trim()).split('-', 1)[0] ?? '';
}

/**
 * The hash of a token of which an import knew only the SHA-256 of its key. A stored key contains no
 * hyphen, so the SHA-256 itself is no key.
 */
export function importedKeyHash(hashOf: HashOf, sha256: string): string {
  return hashOf(`sha256-${sha256}`);
}

/**
 * The hashes that a token of this key may have: that of its key, and that of an imported key, which
 * counts as a whole. Keys of LiteLLM begin with `sk-` and may contain further hyphens.
 */
export function keyHashesOf(hashOf: HashOf, presented: string): readonly [string, ...string[]] {
  const text = presented.trim();
  const own = hashOf(storedKeyOf(text));
  if (!text.startsWith('sk-')) return [own];
  return [own, importedKeyHash(hashOf, createHash('sha256').update(text).digest('hex'))];
}
