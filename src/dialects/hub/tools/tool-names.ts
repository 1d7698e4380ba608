/**
 * Vendors limit tool names and the length of call ids differently. Invalid ones are replaced
 * deterministically, so that no mapping has to be stored.
 */
import { createHash } from 'node:crypto';
import type { Tool } from '../request/request.ts';

export interface NameRule {
  /** Characters the vendor rejects. */
  readonly illegal: RegExp;
  readonly firstIsLetter?: true;
  readonly maxLength: number;
}

/** The name in a form the vendor accepts; unchanged if it is valid. */
export function vendorToolName(name: string, rule: NameRule): string {
  const cleaned = name.replaceAll(rule.illegal, '_');
  const started = rule.firstIsLetter && !/^[A-Za-z_]/.test(cleaned) ? `_${cleaned}` : cleaned;
  if (started === name && name.length <= rule.maxLength) return name;
  // A digest keeps different names from becoming equal.
  const tail = `_${sha256Hex(name).slice(0, 8)}`;
  return started.slice(0, rule.maxLength - tail.length) + tail;
}

/** The client's names by the names sent to the vendor; only changed names are included. */
export function clientToolNames(
  tools: readonly Tool[],
  rule: NameRule,
): ReadonlyMap<string, string> {
  const renamed = tools.flatMap((tool) => {
    if (tool.kind !== 'function' && tool.kind !== 'custom') return [];
    const vendorName = vendorToolName(tool.name, rule);
    return vendorName === tool.name ? [] : [[vendorName, tool.name] as const];
  });
  return new Map(renamed);
}

const CALL_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** An id that every vendor accepts. */
export function portableCallId(id: string): string {
  return CALL_ID.test(id) ? id : `call_${sha256Hex(id).slice(0, 32)}`;
}

/** An id for a call whose upstream sent none or a duplicate; unique within the answer. */
export function generatedCallId(answerId: string, index: number): string {
  return `call_${answerId}_${index}`;
}

/**
 * The upstream's id of a call, or a generated one if it sent none or a duplicate. Adds the id to
 * `used`, the ids of the answer's earlier calls.
 */
export function uniqueCallId(
  given: string | undefined,
  used: Set<string>,
  answerId: string,
  index: number,
): string {
  const id = !given || used.has(given) ? generatedCallId(answerId, index) : given;
  used.add(id);
  return id;
}

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
