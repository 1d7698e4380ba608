import { getHotkeyHandler } from '@mantine/hooks';
import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { Notice } from '../display/Notice.tsx';
import { problemText } from './call-problem.ts';

interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit' | 'onKeyDown' | 'noValidate'> {
  readonly onSubmit: () => unknown;
  /** Ctrl+Enter submits from any field, including multi-line ones. */
  readonly hasShortcut?: boolean;
}

/** A form that validates and submits itself instead of the browser. */
export function Form({ onSubmit, hasShortcut = false, ...rest }: FormProps) {
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      {...(hasShortcut && { onKeyDown: getHotkeyHandler([['mod+Enter', () => onSubmit()]]) })}
      {...rest}
    />
  );
}

interface ProblemNoticeProps {
  /** Nothing is rendered without one. */
  readonly problem: unknown;
  readonly title?: string;
}

/** Errors that belong to no field; shown at the top of a form. */
export function ProblemNotice({ problem, title }: ProblemNoticeProps) {
  const { t } = useTranslation();
  if (problem === undefined || problem === null) return null;
  return (
    <Notice tone="red" {...(title !== undefined && { title })}>
      {problemText(t, problem)}
    </Notice>
  );
}
