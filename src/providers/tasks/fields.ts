/** Reads fields of task submissions, whose errors name the field, and of reports. */

import { missingField, wrongField } from '../../domain/errors/field-errors.ts';
import type { TaskColumns, TaskOutcome } from '../../domain/task.ts';
import type { JsonObject } from '../../json/read-json.ts';

/** A required text. @throws AppError field_missing, field_wrong. */
export function requiredText(body: JsonObject, field: string): string {
  const value = body[field];
  if (value === undefined || value === null) throw missingField(field);
  if (typeof value !== 'string') throw wrongField(field, 'not_text');
  if (value.trim() === '') throw missingField(field);
  return value;
}

/** An optional text, '' if missing. @throws AppError field_wrong. */
export function optionalText(body: JsonObject, field: string): string {
  const value = body[field] ?? '';
  if (typeof value !== 'string') throw wrongField(field, 'not_text');
  return value;
}

/** A task's id: a text, or a number, which some clients send. @throws AppError. */
export function requiredId(body: JsonObject, field: string): string {
  const value = body[field];
  return Number.isSafeInteger(value) ? String(value) : requiredText(body, field);
}

/** @throws AppError field_missing, field_wrong. */
export function requiredList(body: JsonObject, field: string): readonly unknown[] {
  const value = body[field];
  if (value === undefined || value === null) throw missingField(field);
  if (!Array.isArray(value)) throw wrongField(field, 'not_list');
  if (value.length === 0) throw missingField(field);
  return value;
}

/** The most characters of a progress that a row stores. */
const LONGEST_PROGRESS = 20;

/** Upstreams report a failed task as finished: the progress before stays then. */
export function progressColumn(outcome: TaskOutcome, reported: string | undefined): TaskColumns {
  if (outcome === 'succeeded') return { progress: '100%' };
  const isKnown = reported !== undefined && !(outcome === 'failed' && reported === '100%');
  return isKnown ? { progress: reported.slice(0, LONGEST_PROGRESS) } : {};
}
