import { Anchor, Button, Card, Container, Group, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { IconArrowLeft } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { Form, ProblemNotice } from '../../../components/forms/Form.tsx';
import { WrongFields } from '../../../components/forms/WrongFields.tsx';
import { PageHeader } from '../../../components/layout/PageHeader.tsx';
import { useSubmit } from '../../../hooks/useSubmit.ts';

interface FormPageProps<V extends object> {
  readonly title: string;
  readonly back: { readonly to: string; readonly label: string };
  readonly form: UseFormReturnType<V>;
  readonly onSubmit: (values: V) => Promise<unknown>;
  readonly children: ReactNode;
}

/** A form page with its own URL, for links from elsewhere. */
export function FormPage<V extends object>(props: FormPageProps<V>) {
  const { title, back, form, onSubmit, children } = props;
  const { t } = useTranslation();
  const { submit, problem, isBusy } = useSubmit(form, onSubmit);
  return (
    <Container size={640} px={0}>
      <Anchor component={Link} to={back.to} size="sm">
        <Group gap={4} component="span" display="inline-flex">
          <IconArrowLeft size={14} aria-hidden />
          {back.label}
        </Group>
      </Anchor>
      <PageHeader title={title} />
      <Card padding="lg">
        <Form onSubmit={submit} hasShortcut>
          <Stack gap="md">
            <ProblemNotice problem={problem} />
            {children}
            <Group justify="flex-end">
              <WrongFields count={Object.keys(form.errors).length} />
              <Button type="submit" loading={isBusy}>
                {t('action.save')}
              </Button>
            </Group>
          </Stack>
        </Form>
      </Card>
    </Container>
  );
}
