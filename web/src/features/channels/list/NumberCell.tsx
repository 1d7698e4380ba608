import { Tooltip } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { isWhole } from '../editor/channel-form.ts';
import classes from './NumberCell.module.css';

interface NumberCellProps {
  /** Whose number it is: what was typed for one record is nothing to the next in its place. */
  readonly of: string | number;
  /** What it is, and of which row, for screen readers. */
  readonly label: string;
  /** undefined where the rows below differ. */
  readonly value: number | undefined;
  readonly least: number;
  /** What is wrong with a value that is not whole or too small. */
  readonly rule: string;
  /** Resolves when the value is stored or the reader thought better of it. */
  readonly onSave: (value: number) => Promise<unknown>;
}

/** A number that is changed where it stands: Enter or leaving it saves, Esc takes it back. */
export function NumberCell({ of, label, value, least, rule, onSave }: NumberCellProps) {
  const [typed, setTyped] = useState<{ of: string | number; draft: string }>();
  const [saving, setSaving] = useState<string | number>();
  const input = useRef<HTMLInputElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the next record's number is not to be typed into
  useEffect(() => leavingOf(input.current), [of]);
  const draft = typed?.of === of ? typed.draft : undefined;
  const setDraft = (next: string | undefined) =>
    setTyped(next === undefined ? undefined : { of, draft: next });
  const isWrong = draft !== undefined && draft.trim() !== '' && !isWhole(draft, least);
  const leave = async () => {
    setDraft(undefined);
    if (draft === undefined || !isWhole(draft, least) || Number(draft) === value) return;
    setSaving(of);
    await onSave(Number(draft));
    setSaving(undefined);
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === 'Enter') input.current?.blur();
    if (event.key !== 'Escape') return;
    setDraft(undefined);
    // The draft is gone only after the next render: leaving now would still save it.
    requestAnimationFrame(() => input.current?.blur());
  };
  return (
    <>
      <input
        ref={input}
        type="text"
        className={classes.input}
        aria-label={label}
        aria-invalid={isWrong || undefined}
        data-saving={saving === of || undefined}
        placeholder={value === undefined ? '···' : undefined}
        value={draft ?? String(value ?? '')}
        onChange={(event) => setDraft(event.currentTarget.value)}
        onFocus={(event) => event.currentTarget.select()}
        onBlur={() => void leave()}
        onKeyDown={onKeyDown}
        onClick={(event) => event.stopPropagation()}
      />
      {isWrong && <Tooltip label={rule} opened target={input} />}
    </>
  );
}

/** A new input in every row of a page costs as much as the rest of the rows: it is given on instead. */
function leavingOf(input: HTMLInputElement | null) {
  return () => {
    if (document.activeElement === input) input?.blur();
  };
}
