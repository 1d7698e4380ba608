/**
 * Sign-in with a code that a WeChat official account sends to its followers; a companion server
 * maps the code to the user.
 */
import type { Context } from '../../../context.ts';
import { AppError } from '../../../domain/errors/errors.ts';
import { type Identity, requireSubject } from './identity.ts';
import { fetchProviderObject } from './provider-requests.ts';

/** @throws AppError oauth_failed, oauth_code_wrong. */
export async function wechatIdentity(ctx: Context, code: string): Promise<Identity> {
  const options = ctx.options();
  const page = new URL(`${options.get('WeChatServerAddress')}/api/wechat/user`);
  page.searchParams.set('code', code);
  const answer = await fetchProviderObject(ctx, {
    provider: 'wechat',
    url: page.href,
    egress: { allowPrivate: ctx.config.allowPrivateIdentityHosts },
    init: { headers: { authorization: options.get('WeChatServerToken') } },
  });
  if (answer.success !== true || answer.data === '' || answer.data === undefined)
    throw new AppError('oauth_code_wrong', { provider: 'wechat' }, { param: 'code' });
  return {
    provider: 'wechat',
    subject: requireSubject('wechat', answer.data),
    name: '',
    displayName: '',
    email: '',
  };
}
