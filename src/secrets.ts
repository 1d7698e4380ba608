/**
 * Secrets at rest. One master key (environment, or a file of mode 0600 in the data folder) gives a
 * key per purpose by HKDF (RFC 5869): encryption (AES-256-GCM) and the keyed hash that finds API
 * tokens without keeping them readable.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from './config.ts';
import { AppError } from './domain/errors.ts';

export interface Secrets {
  /** `v1:` + base64 of nonce (12), tag (16) and cipher text. The same text never encrypts alike. */
  encrypt(text: string): string;
  /** @throws AppError `secret_key_wrong` when the text was sealed with another key or altered. */
  decrypt(sealed: string): string;
  /** Hex HMAC-SHA256 of an API token or access token: 64 characters. */
  hash(text: string): string;
}

const VERSION = 'v1:';
const KEY_FILE = 'secret.key';

export function createSecrets(master: Buffer): Secrets {
  const encryptionKey = derive(master, 'encryption');
  const hashKey = derive(master, 'token-hash');
  return {
    encrypt(text) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', encryptionKey, nonce);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return VERSION + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
    },
    decrypt(sealed) {
      try {
        if (!sealed.startsWith(VERSION)) throw new Error('unknown cipher version');
        const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64');
        const decipher = createDecipheriv('aes-256-gcm', encryptionKey, bytes.subarray(0, 12));
        decipher.setAuthTag(bytes.subarray(12, 28));
        return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString(
          'utf8',
        );
      } catch (cause) {
        throw new AppError('secret_key_wrong', {}, { cause });
      }
    },
    hash: (text) => createHmac('sha256', hashKey).update(text).digest('hex'),
  };
}

/**
 * The master key of this site. `mayCreate` is false when the database already holds sealed values:
 * a fresh key could not read them, so a lost key file is an error and not a new start.
 */
export function loadMasterKey(config: Config, mayCreate: boolean): Buffer {
  const given = config.secretKey.open();
  if (given !== '') return keyFromText(given);
  const file = path.join(config.dataDir, KEY_FILE);
  if (existsSync(file)) return keyFromText(readFileSync(file, 'utf8').trim());
  if (!mayCreate) throw new AppError('secret_key_missing', { file });
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(file, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
  chmodSync(file, 0o600);
  return keyFromText(readFileSync(file, 'utf8').trim());
}

function keyFromText(text: string): Buffer {
  if (text.length < 32)
    throw new AppError('config_invalid', {
      key: 'secretKey',
      names: 'GATEWAY_SECRET_KEY',
      problem: 'at least 32 characters',
    });
  return Buffer.from(text, 'utf8');
}

function derive(master: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master, 'ai-model-gateway', purpose, 32));
}
