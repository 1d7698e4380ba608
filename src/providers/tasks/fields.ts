/** Reads fields of task submissions; errors name the field. */

import { missingField, wrongField } from '../../domain/errors/field-errors.ts';
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
