import { useState } from 'react';

export interface Draft<T> {
  readonly draft: T;
  readonly change: (patch: Partial<T>) => void;
  /** Says that this, or else the draft, is on its way to be committed, and returns it. */
  readonly send: (values?: T) => T;
  /** Back to what is committed. */
  readonly clear: () => void;
}

export interface Kept<T> {
  /** What was committed when the draft was last compared with it. */
  readonly seen: T;
  readonly draft: T;
  /** What is on its way to be committed, and what the draft was when it left. */
  readonly sent?: { readonly values: T; readonly draft: T };
}

/**
 * What a reader types before committing it. A field starts over when what is committed of it changes:
 * by a chip, the back button or a link. What was typed on after sending stays: an address takes its
 * time, and fingers do not wait for it.
 *
 * @param committed its fields are compared, so it may be made anew at every render
 */
export function useDraft<T extends object>(committed: T): Draft<T> {
  const [kept, setKept] = useState<Kept<T>>({ seen: committed, draft: committed });
  const now = followed(kept, committed);
  if (now !== kept) setKept(now);
  return {
    draft: now.draft,
    change: (patch) => setKept((last) => ({ ...last, draft: { ...last.draft, ...patch } })),
    send: (values = now.draft) => {
      setKept((last) => ({ ...last, sent: { values, draft: last.draft } }));
      return values;
    },
    clear: () => setKept(({ seen }) => ({ seen, draft: seen })),
  };
}

/** The draft beside what is committed now; the same object where nothing of that has changed. */
export function followed<T extends object>(kept: Kept<T>, committed: T): Kept<T> {
  const names = Object.keys(committed) as (keyof T)[]; // they are
  const changed = names.filter((name) => kept.seen[name] !== committed[name]);
  if (changed.length === 0) return kept;
  const draft = { ...kept.draft };
  for (const name of changed) {
    if (!isTypedOn(kept, committed, name)) draft[name] = committed[name];
  }
  return { seen: committed, draft };
}

/** Whether the change is the one that was sent, and the reader has gone on since. */
function isTypedOn<T>({ draft, sent }: Kept<T>, committed: T, name: keyof T): boolean {
  if (sent === undefined || draft[name] === sent.draft[name]) return false;
  return trimmed(sent.values[name]) === trimmed(committed[name]);
}

/** Addresses bear no blanks at the ends. */
function trimmed(value: unknown): unknown {
  return typeof value === 'string' ? value.trim() : value;
}
