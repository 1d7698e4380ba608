import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

export interface Draft<T> {
  readonly draft: T;
  /** Text that the user types: committed when typing pauses, without a history entry. */
  readonly type: (patch: Partial<T>) => void;
  /** A choice of the user: committed at once, with what is typed. */
  readonly choose: (patch: Partial<T>) => void;
  /** Commits what is typed at once. */
  readonly commit: () => void;
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

type Commit<T> = (patch: Partial<T>, how: { readonly replace: boolean }) => void;

const PAUSE_MS = 300;

/**
 * Filters between the input and the URL. A field resets when its committed value changes: by a
 * chip, the back button or a link. Text typed after submitting is kept, because the URL updates
 * later.
 *
 * @param committed compared by field, so it may be a new object at every render
 * @param commit receives the fields that changed, if any
 * @param read the values that a draft stands for
 */
export function useDraft<T extends object>(
  committed: T,
  commit: Commit<T>,
  read: (draft: T) => T = asTyped,
): Draft<T> {
  const [kept, setKept] = useState<DraftState<T>>({ seen: committed, draft: committed });
  const now = followed(kept, committed);
  if (now !== kept) setKept(now);
  // Not state: a submission must know the last one before the page has rendered it.
  const pending = useRef<{ readonly from: T; readonly values: T }>(undefined);
  useEffect(() => {
    const { current } = pending;
    if (current !== undefined && !isSame(current.from, committed)) pending.current = undefined;
  });
  // Not state either: the pause may end before the page has rendered what was typed last.
  const typed = useRef<Partial<T>>({});
  const submit = (patch: Partial<T>, replace: boolean) => {
    soon.cancel();
    const wanted = { ...now.draft, ...typed.current, ...patch };
    typed.current = {};
    const values = read(wanted);
    const draft = { ...wanted, ...changes(wanted, values) };
    const { current } = pending;
    // The URL may not have followed the last submission yet.
    const isAhead = current !== undefined && isSame(current.from, committed);
    const changed = changes(isAhead ? current.values : committed, values);
    const isChanged = Object.keys(changed).length > 0;
    if (isChanged) pending.current = { from: committed, values };
    setKept((last) => ({ ...last, draft, ...(isChanged && { sent: { values, draft } }) }));
    if (isChanged) commit(changed, { replace });
  };
  // With the draft of that time: a filter removed meanwhile stays removed.
  const soon = useDebouncedCallback(() => submit({}, true), PAUSE_MS);
  return {
    draft: now.draft,
    type: (patch) => {
      typed.current = { ...typed.current, ...patch };
      setKept((last) => ({ ...last, draft: { ...last.draft, ...patch } }));
      soon();
    },
    choose: (patch) => submit(patch, false),
    commit: () => submit({}, true),
    clear: () => {
      soon.cancel();
      typed.current = {};
      setKept(({ seen }) => ({ seen, draft: seen }));
    },
  };
}

function asTyped<T>(draft: T): T {
  return draft;
}

/** The draft updated to the committed values; the same object if none of them changed. */
export function followed<T extends object>(kept: DraftState<T>, committed: T): DraftState<T> {
  const names = namesOf(committed).filter((name) => kept.seen[name] !== committed[name]);
  if (names.length === 0) return kept;
  const draft = { ...kept.draft };
  for (const name of names) {
    if (!isTypedOn(kept, committed, name)) draft[name] = committed[name];
  }
  return { seen: committed, draft };
}

/** Whether the change is the submitted one and the user has typed on since. */
function isTypedOn<T>({ draft, sent }: DraftState<T>, committed: T, name: keyof T): boolean {
  if (sent === undefined || draft[name] === sent.draft[name]) return false;
  return trimmed(sent.values[name]) === trimmed(committed[name]);
}

/** The fields of `to` that differ from `from`. */
function changes<T extends object>(from: T, to: T): Partial<T> {
  const patch: Partial<T> = {};
  for (const name of namesOf(to)) {
    if (trimmed(from[name]) !== trimmed(to[name])) patch[name] = to[name];
  }
  return patch;
}

function isSame<T extends object>(one: T, other: T): boolean {
  return Object.keys(changes(one, other)).length === 0;
}

function namesOf<T extends object>(values: T): readonly (keyof T)[] {
  return Object.keys(values) as (keyof T)[]; // the keys of this object
}

/** URL values have no surrounding whitespace. */
function trimmed(value: unknown): unknown {
  return typeof value === 'string' ? value.trim() : value;
}
