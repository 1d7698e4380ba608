import { Button, Drawer, Group, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { TFunction } from 'i18next';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useSubmit } from '../../hooks/useSubmit.ts';
import { useIsPhone } from '../../lib/screen.ts';
import { confirm } from '../layout/confirm.tsx';
import classes from '../layout/drawers.module.css';
import { useHasPopup } from '../layout/popup-layer.ts';
import { Form, ProblemNotice } from './Form.tsx';

interface FormDrawerProps<V extends object> {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: ReactNode;
  readonly form: UseFormReturnType<V>;
  /** Sends; rejects with the server's refusal. The drawer closes by itself unless `staysOpen`. */
  readonly onSubmit: (values: V) => Promise<unknown>;
  readonly submitLabel?: string;
  /** Further buttons of the footer, left of Cancel; a function gets the way to submit. */
  readonly extra?: ReactNode | ((submit: () => void) => ReactNode);
  /** Pixels; 560 unless told. */
  readonly width?: number;
  readonly staysOpen?: boolean;
  /** Told which fields the form itself refuses, for what a mark at the field cannot say. */
  readonly onInvalid?: (fields: readonly string[]) => void;
  readonly children: ReactNode;
}

/** A form beside the list it belongs to: Ctrl+Enter submits, and unsaved work is not lost by a slip. */
export function FormDrawer<V extends object>(props: FormDrawerProps<V>) {
  const { isOpen, onClose, title, form, width = 560, children } = props;
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const hasPopup = useHasPopup();
  const send = async (values: V) => {
    await props.onSubmit(values);
    if (!props.staysOpen) onClose();
  };
  const submission = useSubmit(form, send, props.onInvalid);
  const formId = useId();
  const close = async () => {
    const mayClose = !form.isDirty() || (await confirm(discarding(t)));
    if (!mayClose) return;
    submission.clear();
    onClose();
  };
  return (
    <Drawer
      opened={isOpen}
      onClose={() => void close()}
      title={title}
      size={isPhone ? '100%' : width}
      classNames={classes}
      closeOnEscape={!hasPopup}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <Form id={formId} className={classes.form} onSubmit={submission.submit} hasShortcut>
        <Stack gap="md" className={classes.fields}>
          <ProblemNotice problem={submission.problem} />
          {children}
        </Stack>
      </Form>
      <Group className={classes.footer} gap="xs">
        {typeof props.extra === 'function'
          ? props.extra(() => void submission.submit())
          : props.extra}
        <Button variant="default" ml="auto" onClick={() => void close()}>
          {t('action.cancel')}
        </Button>
        <Button type="submit" form={formId} loading={submission.isBusy}>
          {props.submitLabel ?? t('action.submit')}
        </Button>
      </Group>
    </Drawer>
  );
}

function discarding(t: TFunction) {
  return {
    title: t('part.discard.title'),
    text: t('part.discard.text'),
    verb: t('part.discard.verb'),
    isDanger: true,
  };
}
