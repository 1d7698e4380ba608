/**
 * Vendors differ in what a tool may be called and how long the id of a call may be. What does not fit
 * is replaced by something that does, always by the same: the way back needs no memory.
 */
import { createHash } from 'node:crypto';
import type { Tool } from './request.ts';

export interface NameRule {
  /** Characters that are refused. */
  readonly illegal: RegExp;
  readonly firstIsLetter?: true;
  readonly maxLength: number;
}

/** The name as the vendor takes it; the same one where nothing is wrong with it. */
export function wireName(name: string, rule: NameRule): string {
  const cleaned = name.replaceAll(rule.illegal, '_');
  const started = rule.firstIsLetter && !/^[A-Za-z_]/.test(cleaned) ? `_${cleaned}` : cleaned;
  if (started === name && name.length <= rule.maxLength) return name;
  // Two names must not become one.
  const tail = `_${digest(name).slice(0, 8)}`;
  return started.slice(0, rule.maxLength - tail.length) + tail;
}

/** The names the client gave, by those the vendor was told; empty when all are the same. */
export function givenNames(tools: readonly Tool[], rule: NameRule): ReadonlyMap<string, string> {
  const renamed = tools.flatMap((tool) => {
    if (tool.kind !== 'function' && tool.kind !== 'custom') return [];
    const wire = wireName(tool.name, rule);
    return wire === tool.name ? [] : [[wire, tool.name] as const];
  });
  return new Map(renamed);
}

const CALL_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** An id that every vendor takes. */
export function wireCallId(id: string): string {
  return CALL_ID.test(id) ? id : `call_${digest(id).slice(0, 32)}`;
}

/** For a call whose upstream gave it no id, or one that another call has: unique with the answer. */
export function madeCallId(answerId: string, place: number): string {
  return `call_${answerId}_${place}`;
}

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
