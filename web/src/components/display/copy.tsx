/** Copying: by the clipboard API, else by selection on plain http, else by hand in a dialog. */
import { Button, type ButtonProps, Group, Text } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { lazy, type ReactNode, useState } from 'react';
import { useCellText } from '../../lib/text/cell-text.ts';
import { RowIcon } from '../data-table/RowIcon.tsx';
import { prompt } from '../layout/prompt.tsx';
import { IconButton } from './IconButton.tsx';

const TICK_MS = 1_200;

/** True if the text is on the clipboard; otherwise the dialog for manual copying has opened. */
export async function copyText(text: string): Promise<boolean> {
  if ((await byClipboard(text)) || bySelection(text)) return true;
  void prompt<void>((close) => <CopyByHand text={text} onClose={() => close()} />);
  return false;
}

async function byClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Inside the open dialog if there is one: its focus trap would take the selection away. */
function bySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.style.cssText = 'position:fixed;opacity:0;pointer-events:none';
  const before = document.activeElement;
  const parent = before?.closest('[role="dialog"]') ?? document.body;
  parent.append(area);
  try {
    area.select();
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    area.remove();
    if (before instanceof HTMLElement) before.focus();
  }
}

const CopyByHand = lazy(async () => ({
  default: (await import('./CopyByHand.tsx')).CopyByHand,
}));

/** Whether the last copy was a moment ago, and the function that copies. */
export function useCopied(): { readonly isCopied: boolean; copy(text: string): Promise<void> } {
  const [isCopied, setCopied] = useState(false);
  return {
    isCopied,
    copy: async (text) => {
      if (!(await copyText(text))) return;
      setCopied(true);
      setTimeout(() => setCopied(false), TICK_MS);
    },
  };
}

interface CopyButtonProps {
  /** The text to copy, or a function that fetches or builds it. */
  readonly text: string | (() => string | Promise<string>);
  /** Names what is copied, for screen readers and the tooltip: "Copy key". */
  readonly label?: string;
  readonly size?: number;
}

/** An icon button that copies and then shows a tick. */
export function CopyButton({ text, label, size = 28 }: CopyButtonProps) {
  const t = useCellText();
  const { isCopied, copy } = useCopied();
  const name = isCopied ? t('action.copied') : (label ?? t('action.copy'));
  const press = async () => copy(typeof text === 'string' ? text : await text());
  return (
    <IconButton
      size={size}
      label={name}
      tone={isCopied ? 'green' : undefined}
      onClick={(event) => {
        event.stopPropagation();
        // The function that fetches the text reports its own failure.
        void press().catch(() => undefined);
      }}
    >
      <RowIcon name={isCopied ? 'check' : 'copy'} />
    </IconButton>
  );
}

/** A labelled button that copies, e.g. "Copy all". */
export function CopyWideButton({
  text,
  children,
  ...button
}: ButtonProps & { readonly text: string; readonly children: ReactNode }) {
  const t = useCellText();
  const { isCopied, copy } = useCopied();
  return (
    <Button
      variant="default"
      leftSection={isCopied ? <IconCheck size={16} /> : <IconCopy size={16} />}
      {...button}
      onClick={() => void copy(text)}
    >
      {isCopied ? t('action.copied') : children}
    </Button>
  );
}

/** A text in monospace with its copy button. */
export function CopyText({ text, label }: { readonly text: string; readonly label?: string }) {
  return (
    <Group gap={4} wrap="nowrap" component="span" display="inline-flex" miw={0} maw="100%">
      <Text span ff="monospace" truncate title={text}>
        {text}
      </Text>
      <CopyButton text={text} {...(label !== undefined && { label })} />
    </Group>
  );
}
