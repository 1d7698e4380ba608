/** Onboarding tasks of a new administrator or user, derived from existing data. */

import { isObject, parseJson } from '../../../../src/json/read-json.ts';
import { linkTo } from '../../lib/browser/page-links.ts';

export interface AdminFacts {
  readonly usesDefaultPassword: boolean;
  readonly channels: number;
  readonly testedChannels: number;
  readonly unpriced: number;
  readonly tokens: number;
  readonly calls: number;
}

export interface UserFacts {
  readonly tokens: number;
  readonly calls: number;
  readonly hasThreshold: boolean;
  readonly hasEmail: boolean;
}

interface Task<N extends string> {
  readonly name: N;
  readonly isDone: boolean;
  /** The page on which it is done. */
  readonly path: string;
}

export type AdminTask = Task<'password' | 'channel' | 'test' | 'prices' | 'token' | 'request'>;
export type UserTask = Task<'token' | 'snippet' | 'call' | 'threshold' | 'email'>;

export function adminTasks(facts: AdminFacts): readonly AdminTask[] {
  return [
    { name: 'password', isDone: !facts.usesDefaultPassword, path: '/app/me' },
    { name: 'channel', isDone: facts.channels > 0, path: '/channel/add' },
    { name: 'test', isDone: facts.testedChannels > 0, path: '/admin/channels' },
    {
      name: 'prices',
      isDone: facts.channels > 0 && facts.unpriced === 0,
      path: linkTo('/admin/settings', { tab: 'operation' }),
    },
    { name: 'token', isDone: facts.tokens > 0, path: linkTo('/app/tokens', { id: 'new' }) },
    { name: 'request', isDone: facts.calls > 0, path: '/app/logs/api-usage' },
  ];
}

/** Copying a snippet is not recorded; a first call counts as proof of it. */
export function userTasks(facts: UserFacts): readonly UserTask[] {
  return [
    { name: 'token', isDone: facts.tokens > 0, path: linkTo('/app/tokens', { id: 'new' }) },
    { name: 'snippet', isDone: facts.calls > 0, path: '/app/tokens' },
    { name: 'call', isDone: facts.calls > 0, path: '/playground' },
    { name: 'threshold', isDone: facts.hasThreshold, path: '/app/me' },
    { name: 'email', isDone: facts.hasEmail, path: '/app/me' },
  ];
}

/** Whether the account's settings, a JSON text, set a warning threshold. */
export function hasThreshold(setting: string): boolean {
  const value = parseJson(setting);
  return isObject(value) && Number(value.quota_warning_threshold) > 0;
}
