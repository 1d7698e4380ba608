/** Channel settings with their own fields; all others are edited as JSON beside them. */

import { isObject, parseJson } from '../../../../../src/json/read-json.ts';
/** The value written when a switch is on; off removes the member. */
export const SETTING_SWITCHES = {
  force_format: true,
  thinking_to_content: true,
  pass_through_body: true,
  chat_only: true,
  stream_support: 'NON_STREAM_ONLY',
} as const;

export const SETTING_TEXTS = ['proxy', 'messages_path'] as const;

/** Whole numbers; an empty field removes the member. */
export const SETTING_COUNTS = [
  'max_concurrency',
  'tokens_per_minute',
  'first_content_timeout_seconds',
  'answer_timeout_seconds',
] as const;

export type SettingSwitch = keyof typeof SETTING_SWITCHES;
export type SettingText = (typeof SETTING_TEXTS)[number];

type Members = Readonly<Record<string, unknown>>;

/** undefined while the JSON is invalid: it cannot be changed then. */
export function readMembers(json: string): Members | undefined {
  if (json.trim() === '') return {};
  const value = parseJson(json);
  return isObject(value) ? value : undefined;
}

export function isOn(members: Members, name: SettingSwitch): boolean {
  return members[name] === SETTING_SWITCHES[name];
}

/** The JSON with one member set, or removed if undefined; '' if nothing is left. */
export function withMember(members: Members, name: string, value: unknown): string {
  const { [name]: _, ...rest } = members;
  const next = value === undefined ? rest : { ...members, [name]: value };
  return Object.keys(next).length === 0 ? '' : JSON.stringify(next, null, 2);
}
