import { Anchor, Box, Button, Card, Group, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { IconArrowLeft } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { SuccessOptions } from '../../hooks/useAction.ts';
import { useLeaveGuard } from '../../hooks/useLeaveGuard.ts';
import { useSubmit } from '../../hooks/useSubmit.ts';
import { PageHeader } from '../layout/PageHeader.tsx';
import { Form, ProblemNotice } from './Form.tsx';
import classes from './FormPage.module.css';
import { WrongFields } from './WrongFields.tsx';

interface FormPageProps<V extends object, R> extends SuccessOptions<R, V> {
  readonly title: string;
  /** The list that the record is from. */
  readonly back: { readonly to: string; readonly label: string };
  readonly form: UseFormReturnType<V>;
  /** Rejects with the server's error; may leave the page without a question. */
  readonly onSubmit: (values: V) => Promise<R>;
  /** "Save" by default. */
  readonly submitLabel?: string;
  /** Pixels. */
  readonly width: number;
  /** Further buttons, from the function that submits. */
  readonly extra?: (submit: () => void) => ReactNode;
  readonly onInvalid?: () => void;
  readonly children: ReactNode;
}

/** The form of a drawer on a page with its own URL, for links from elsewhere. */
export function FormPage<V extends object, R>(props: FormPageProps<V, R>) {
  const { title, back, form, width, extra, children } = props;
  const { t } = useTranslation();
  const { submit, problem, isBusy, isSending } = useSubmit(form, props.onSubmit, props);
  useLeaveGuard(() => form.isDirty() && !isSending());
  return (
    <Box maw={width}>
      <Anchor component={Link} to={back.to} mb="xs" display="inline-flex">
        <Group gap={4} component="span">
          <IconArrowLeft size={16} aria-hidden />
          {back.label}
        </Group>
      </Anchor>
      <PageHeader title={title} />
      <Card padding="lg" className={classes.card}>
        <Form onSubmit={submit} hasShortcut>
          <Stack gap="md">
            <ProblemNotice problem={problem} />
            {children}
          </Stack>
          <Group className={classes.footer} align="flex-end">
            {extra?.(() => void submit())}
            <Group flex={1} justify="flex-end">
              <WrongFields count={Object.keys(form.errors).length} />
              <Button variant="default" component={Link} to={back.to}>
                {t('action.cancel')}
              </Button>
              <Button type="submit" loading={isBusy}>
                {props.submitLabel ?? t('action.save')}
              </Button>
            </Group>
          </Group>
        </Form>
      </Card>
    </Box>
  );
}
