/** Where users can have their notifications sent (docs/notifications.md). */
import { parsedUrl } from './addresses/parsed-url.ts';

interface PostKindRow {
  /** An address as the service gives it. */
  readonly example: string;
  /** Whether a secret proves the sender. */
  readonly isSigned: boolean;
}

/** Kinds that post to an address which the user enters. */
export const POST_KINDS = {
  webhook: { example: 'https://example.com/notify', isSigned: true },
  slack: { example: 'https://hooks.slack.com/services/T0000/B0000/XXXX', isSigned: false },
  discord: { example: 'https://discord.com/api/webhooks/<id>/<token>', isSigned: false },
  telegram: {
    example: 'https://api.telegram.org/bot<token>/sendMessage?chat_id=<id>',
    isSigned: false,
  },
  feishu: { example: 'https://open.feishu.cn/open-apis/bot/v2/hook/<id>', isSigned: true },
  dingtalk: {
    example: 'https://oapi.dingtalk.com/robot/send?access_token=<token>',
    isSigned: true,
  },
  wecom: {
    example: 'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=<key>',
    isSigned: false,
  },
} as const satisfies Readonly<Record<string, PostKindRow>>;

export type PostKind = keyof typeof POST_KINDS;
export type NotifyKind = 'email' | 'inbox' | PostKind;

export const NOTIFY_KINDS = [
  'email',
  'inbox',
  'webhook',
  'slack',
  'discord',
  'telegram',
  'feishu',
  'dingtalk',
  'wecom',
] as const satisfies readonly NotifyKind[];

export function isPostKind(kind: unknown): kind is PostKind {
  return typeof kind === 'string' && Object.hasOwn(POST_KINDS, kind);
}

/** Whether an address has what its kind needs. */
export function isUsableAddress(kind: PostKind, url: string): boolean {
  return kind !== 'telegram' || Boolean(parsedUrl(url)?.searchParams.get('chat_id'));
}
