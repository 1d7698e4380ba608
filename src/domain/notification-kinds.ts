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

const POST_KIND_NAMES = Object.keys(POST_KINDS) as PostKind[]; // its own keys

export const NOTIFY_KINDS: readonly NotifyKind[] = ['email', 'inbox', ...POST_KIND_NAMES];

/** Those of a destination of the site, which has no inbox. */
export const DESTINATION_KINDS = ['email', ...POST_KIND_NAMES] as const;
export type DestinationKind = (typeof DESTINATION_KINDS)[number];

export function isPostKind(kind: unknown): kind is PostKind {
  return typeof kind === 'string' && Object.hasOwn(POST_KINDS, kind);
}

/** What is wrong with the form of an address; undefined if nothing is. */
export type AddressProblem = 'not_email' | 'not_https_url' | 'no_chat_id';

const EMAIL = /^[^\s@]+@[^\s@]+$/;

export function addressProblem(kind: DestinationKind, address: string): AddressProblem | undefined {
  if (kind === 'email') return EMAIL.test(address) ? undefined : 'not_email';
  if (!/^https:\/\//i.test(address) || parsedUrl(address) === undefined) return 'not_https_url';
  return isUsableAddress(kind, address) ? undefined : 'no_chat_id';
}

/** Whether an address has what its kind needs. */
export function isUsableAddress(kind: PostKind, url: string): boolean {
  return kind !== 'telegram' || Boolean(parsedUrl(url)?.searchParams.get('chat_id'));
}
