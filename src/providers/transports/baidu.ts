/**
 * Baidu's first API: a key of two parts is exchanged for a token, which is sent in the query.
 * Source: cloud.baidu.com/doc/WENXINWORKSHOP, "Access Token".
 */
import { unusableChannel } from '../../domain/errors/field-errors.ts';
import { joinUrl } from '../requests/upstream-url.ts';
import { baseUrlOf, PLAIN } from './plain.ts';
import type { Auth, BaiduKey, RequestPlan, Transport } from './transport.ts';

export const BAIDU_TRANSPORT: Transport = {
  ...PLAIN,
  auth: (plan): Auth => ({ headers: {}, credentials: { kind: 'baidu', ...baiduKey(plan) } }),
};

/** @throws AppError channel_unusable */
function baiduKey(plan: Pick<RequestPlan, 'key' | 'baseUrl' | 'provider'>): BaiduKey {
  const [id = '', secret = ''] = plan.key.split('|');
  if (id === '' || secret === '') throw unusableChannel('key_form', { forms: 'APIKey|SecretKey' });
  const query = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: id,
    client_secret: secret,
  });
  const path = `/oauth/2.0/token?${query}`;
  return { id, secret, url: joinUrl(baseUrlOf(plan), path, { model: '', other: '' }) };
}
