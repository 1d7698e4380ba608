/** Names the faults of files and folders that Node reports: no space, no permission, in the way. */
import { accessSync, constants } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { AppError } from '../../domain/errors/errors.ts';

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);
const DENIED: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS']);
const BLOCKED: ReadonlySet<string> = new Set(['EEXIST', 'ENOTDIR']);

/** The error for a failed system call that names its path; undefined for any other failure. */
export function asFileError(thrown: unknown): AppError | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown) || !('path' in thrown)) return undefined;
  const [code, file] = [String(thrown.code), String(thrown.path)];
  if (FULL.has(code))
    return new AppError('disk_full', { folder: path.dirname(file) }, { cause: thrown });
  if (BLOCKED.has(code)) return new AppError('folder_blocked', { path: file }, { cause: thrown });
  // procfs and other file systems that hold no folders of users.
  if (code === 'ENOENT' && 'syscall' in thrown && thrown.syscall === 'mkdir')
    return new AppError('folder_not_writable', { folder: path.dirname(file) }, { cause: thrown });
  return DENIED.has(code) ? accessError(file, thrown) : undefined;
}

/** The error for a file that this process may not read, or not write; undefined if it may do both. */
export function accessError(file: string, cause: unknown): AppError | undefined {
  if (!isAllowed(file, constants.R_OK))
    return new AppError('file_access_denied', { path: file, user: userName() }, { cause });
  const folder = path.dirname(file);
  if (isAllowed(folder, constants.W_OK) && isAllowed(file, constants.W_OK)) return undefined;
  return new AppError('folder_not_writable', { folder }, { cause });
}

function isAllowed(file: string, mode: number): boolean {
  try {
    accessSync(file, mode);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user id without a name.
    return String(process.getuid?.() ?? '');
  }
}
