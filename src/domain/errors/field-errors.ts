/** Errors for the fields of a request. */
import { AppError } from './errors.ts';

export function missingField(field: string): AppError {
  return new AppError('field_missing', { field }, { param: field });
}

export function wrongField(field: string, problem: string): AppError {
  return new AppError('field_wrong', { field, problem }, { param: field });
}
