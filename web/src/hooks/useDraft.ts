import { useState } from 'react';

export interface Draft<T> {
  readonly draft: T;
  readonly change: (patch: Partial<T>) => void;
  /** Marks these values, or else the draft, as submitted, and returns them. */
  readonly send: (values?: T) => T;
  /** Resets to the committed values. */
  readonly clear: () => void;
}

export interface DraftState<T> {
  /** The committed values when the draft was last compared with them. */
  readonly seen: T;
  readonly draft: T;
  /** The submitted values, and the draft at that time. */
  readonly sent?: { readonly values: T; readonly draft: T };
}

/**
 * A draft of values before they are committed. A field resets when its committed value changes: by
 * a chip, the back button or a link. Text typed after submitting is kept, because the URL updates
 * later.
 *
 * @param committed compared by field, so it may be a new object at every render
 */
export function useDraft<T extends object>(committed: T): Draft<T> {
  const [kept, setKept] = useState<DraftState<T>>({ seen: committed, draft: committed });
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

/** The draft updated to the committed values; the same object if none of them changed. */
export function followed<T extends object>(kept: DraftState<T>, committed: T): DraftState<T> {
  const names = Object.keys(committed) as (keyof T)[]; // the keys of this object
  const changed = names.filter((name) => kept.seen[name] !== committed[name]);
  if (changed.length === 0) return kept;
  const draft = { ...kept.draft };
  for (const name of changed) {
    if (!isTypedOn(kept, committed, name)) draft[name] = committed[name];
  }
  return { seen: committed, draft };
}

/** Whether the change is the submitted one and the user has typed on since. */
function isTypedOn<T>({ draft, sent }: DraftState<T>, committed: T, name: keyof T): boolean {
  if (sent === undefined || draft[name] === sent.draft[name]) return false;
  return trimmed(sent.values[name]) === trimmed(committed[name]);
}

/** URL values have no surrounding whitespace. */
function trimmed(value: unknown): unknown {
  return typeof value === 'string' ? value.trim() : value;
}
