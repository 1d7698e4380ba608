/** Tencent's cloud API: one URL for all calls, the action in a header, and a signed request. */
import { unusableChannel } from '../../domain/errors/field-errors.ts';
import { PLAIN } from './plain.ts';
import type { Auth, Transport } from './transport.ts';

const HUNYUAN = { service: 'hunyuan', action: 'ChatCompletions', version: '2023-09-01' } as const;

export const TENCENT: Transport = {
  ...PLAIN,
  auth({ key }): Auth {
    // `AppId|SecretId|SecretKey`, or the last two.
    const [secretId, secretKey] = key.split('|').slice(-2);
    if (!secretId || !secretKey)
      throw unusableChannel('key_form', { forms: 'AppId|SecretId|SecretKey' });
    return { headers: {}, credentials: { kind: 'tc3', secretId, secretKey, ...HUNYUAN } };
  },
};
