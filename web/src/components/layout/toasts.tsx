/**
 * Toasts: `toast.success(t('token.saved'))`, `toast.failure(error)`. Repeating a message adds a count
 * to its toast, which then stays as long as a new one.
 */

import { Code, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconCheck, IconInfoCircle } from '@tabler/icons-react';
import i18next from 'i18next';
import type { ReactNode } from 'react';
import { ApiError } from '../../lib/api/api.ts';
import { copyText } from '../display/copy.tsx';
import { SideButton } from '../display/SideButton.tsx';
import { problemDetails, problemText } from '../forms/call-problem.ts';

type Kind = 'success' | 'info' | 'error';

const STAYS_MS: Record<Kind, number> = { success: 3_000, info: 4_000, error: 8_000 };
const UNDO_MS = 6_000;
const ROLES: Record<Kind, string> = { success: 'status', info: 'status', error: 'alert' };
const COLOURS: Record<Kind, string> = { success: 'success', info: 'iris', error: 'danger' };
const ICONS: Record<Kind, ReactNode> = {
  success: <IconCheck size={16} />,
  info: <IconInfoCircle size={16} />,
  error: <IconAlertTriangle size={16} />,
};

interface Extra {
  /** Offers to undo for 6 s. */
  readonly undo?: () => void;
}

export const toast = {
  success: (text: string, { undo }: Extra = {}) => show('success', text, undo && undoButton(undo)),
  info: (text: string) => show('info', text),
  error: (text: string) => show('error', text),
  /** Any thrown value: the server's message, the request id, and details to copy. */
  failure: (error: unknown) => {
    if (isAborted(error)) return;
    const text = problemText(i18next.t, error);
    show('error', text, error instanceof ApiError ? errorExtra(error) : undefined);
  },
  /** A long job: shows and updates one toast until `endProgress`. */
  progress: (id: string, body: ReactNode) => progress(id, body),
  endProgress: (id: string) => void notifications.hide(id),
};

/** How often each visible toast was raised. */
const counts = new Map<string, number>();

function show(kind: Kind, text: string, extra?: ReactNode): void {
  const id = `${kind}:${text}`;
  const count = (counts.get(id) ?? 0) + 1;
  counts.set(id, count);
  const message = (
    <Stack gap={4}>
      <Text style={{ overflowWrap: 'anywhere' }}>
        {text}
        {count > 1 && ` (${count})`}
      </Text>
      {extra}
    </Stack>
  );
  const data = {
    id,
    message,
    role: ROLES[kind],
    color: COLOURS[kind],
    icon: ICONS[kind],
    // The time starts anew only if it changes.
    autoClose: (extra !== undefined && kind === 'success' ? UNDO_MS : STAYS_MS[kind]) + count - 1,
    closeButtonProps: { 'aria-label': i18next.t('action.close') },
    onClose: () => void counts.delete(id),
  };
  if (count > 1) notifications.update(data);
  else notifications.show(data);
}

function errorExtra(error: ApiError): ReactNode {
  return (
    <Group>
      {error.requestId !== undefined && <Code fz={11}>{error.requestId}</Code>}
      <SideButton
        size="compact-xs"
        label={i18next.t('action.copyDetails')}
        onClick={() => void copyText(problemDetails(error))}
      />
    </Group>
  );
}

function undoButton(undo: () => void): ReactNode {
  return (
    <div>
      <SideButton size="compact-xs" label={i18next.t('action.undo')} onClick={undo} />
    </div>
  );
}

const running = new Set<string>();

function progress(id: string, message: ReactNode): void {
  const data = {
    id,
    message,
    role: 'status',
    loading: true,
    autoClose: false,
    allowClose: false,
    onClose: () => void running.delete(id),
  } as const;
  if (running.has(id)) notifications.update(data);
  else {
    running.add(id);
    notifications.show(data);
  }
}

/** An intentionally aborted call is not reported. */
function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
