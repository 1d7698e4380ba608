import { Button, Drawer, Group, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { SuccessOptions } from '../../hooks/useAction.ts';
import { useReturnFocus } from '../../hooks/useReturnFocus.ts';
import { useSubmit } from '../../hooks/useSubmit.ts';
import { useIsPhone } from '../../lib/display/screen.ts';
import { SideButton } from '../display/SideButton.tsx';
import { confirm, discardConfirmation } from '../layout/confirm.tsx';
import classes from '../layout/drawers.module.css';
import { useHasPopup } from '../layout/popup-layer.ts';
import { Form, ProblemNotice } from './Form.tsx';
import { WrongFields } from './WrongFields.tsx';

interface FormDrawerProps<V extends object, R> extends SuccessOptions<R, V> {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: ReactNode;
  readonly form: UseFormReturnType<V>;
  /** Submits; rejects with the server's error. The drawer then closes unless `staysOpen`. */
  readonly onSubmit: (values: V) => Promise<R>;
  /** "Save" by default. */
  readonly submitLabel?: string;
  /** Further footer buttons, left of Cancel; a function receives the submit callback. */
  readonly extra?: ReactNode | ((submit: () => void) => ReactNode);
  /** Pixels; 560 by default. */
  readonly width?: number;
  readonly staysOpen?: boolean;
  /** Called with the invalid fields, if the marks at the fields are not enough. */
  readonly onInvalid?: (fields: readonly string[]) => void;
  readonly children: ReactNode;
}

/** A form beside its list: Ctrl+Enter submits, and closing asks before discarding changes. */
export function FormDrawer<V extends object, R>(props: FormDrawerProps<V, R>) {
  const { isOpen, onClose, title, form, width = 560, children } = props;
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const hasPopup = useHasPopup();
  useReturnFocus();
  const submission = useSubmit(form, props.onSubmit, {
    ...props,
    onClose: props.staysOpen ? undefined : onClose,
  });
  const formId = useId();
  const close = async () => {
    const mayClose = !form.isDirty() || (await confirm(discardConfirmation(t)));
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
    >
      <Form id={formId} className={classes.form} onSubmit={submission.submit} hasShortcut>
        <Stack gap="md" className={classes.fields}>
          <ProblemNotice problem={submission.problem} />
          {children}
        </Stack>
      </Form>
      <Group className={classes.footer} align="flex-end">
        {typeof props.extra === 'function'
          ? props.extra(() => void submission.submit())
          : props.extra}
        <Group flex={1} justify="flex-end">
          <WrongFields count={Object.keys(form.errors).length} />
          <SideButton label={t('action.cancel')} onClick={() => void close()} />
          <Button type="submit" form={formId} loading={submission.isBusy}>
            {props.submitLabel ?? t('action.save')}
          </Button>
        </Group>
      </Group>
    </Drawer>
  );
}
