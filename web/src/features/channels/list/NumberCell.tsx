import { Tooltip } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { isWhole } from '../editor/channel-form.ts';
import classes from './NumberCell.module.css';

interface NumberCellProps {
  /** The record's id: a draft must not carry over to the next record in the same row. */
  readonly of: string | number;
  /** Names the number and its row, for screen readers. */
  readonly label: string;
  /** undefined if the rows below differ. */
  readonly value: number | undefined;
  readonly least: number;
  /** Error text for a value that is not whole or too small. */
  readonly rule: string;
  /** Resolves when the value is stored or the user cancels. */
  readonly onSave: (value: number) => Promise<unknown>;
}

/** An inline number input: Enter or blur saves, Esc cancels. A wrong number stays, with its rule. */
export function NumberCell({ of, label, value, least, rule, onSave }: NumberCellProps) {
  const [typed, setTyped] = useState<{ of: string | number; draft: string }>();
  const [saving, setSaving] = useState<string | number>();
  const input = useRef<HTMLInputElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the draft must not carry over to the next record
  useEffect(() => leavingOf(input.current), [of]);
  const draft = typed?.of === of ? typed.draft : undefined;
  const setDraft = (next: string | undefined) =>
    setTyped(next === undefined ? undefined : { of, draft: next });
  const isWrong = draft !== undefined && draft.trim() !== '' && !isWhole(draft, least);
  const leave = async () => {
    if (isWrong) return;
    setDraft(undefined);
    if (draft === undefined || draft.trim() === '' || Number(draft) === value) return;
    setSaving(of);
    await onSave(Number(draft));
    setSaving(undefined);
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === 'Enter' && !isWrong) input.current?.blur();
    if (event.key !== 'Escape') return;
    setDraft(undefined);
    // The draft is cleared only on the next render: blurring now would still save it.
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
        aria-description={isWrong ? rule : undefined}
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

/** Reuse the input between records: new ones for every row double a page's render time. */
function leavingOf(input: HTMLInputElement | null) {
  return () => {
    if (document.activeElement === input) input?.blur();
  };
}
