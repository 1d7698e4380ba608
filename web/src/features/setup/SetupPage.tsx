import { Button, Card, Container, List, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Navigate, useLocation, useNavigate } from 'react-router-dom';
import { setupCalls } from '../../../../src/api/site/setup.ts';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { Logo } from '../../components/display/Logo.tsx';
import { LoadFailed, Loading } from '../../components/layout/list-states.tsx';
import { usePageTitle } from '../../components/layout/PageHeader.tsx';
import { client } from '../../lib/api/api.ts';
import { SetupSteps } from './SetupSteps.tsx';

const setup = client(setupCalls);

/** The first-run set-up: creates the administrator of an empty database. */
export function SetupPage() {
  const { t } = useTranslation();
  usePageTitle(t('setup.title'));
  const code = new URLSearchParams(useLocation().hash.slice(1)).get('code') ?? '';
  const navigate = useNavigate();
  const [isDone, setDone] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['setup'],
    queryFn: ({ signal }) => setup.state({}, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  /** The code in the address is used up. */
  const finish = () => {
    setDone(true);
    void navigate({ hash: '' }, { replace: true });
  };
  if (data?.status && !isDone) return <Navigate replace to="/" />;
  return (
    <Container size={620} px={0} py="md">
      <Stack gap={4} align="center" mb="lg">
        <Logo size={40} />
        <Title order={1}>{t(isDone ? 'setup.done' : 'setup.title')}</Title>
        <Dimmed size="sm" ta="center">
          {t(isDone ? 'setup.doneHint' : 'setup.hint')}
        </Dimmed>
      </Stack>
      <Card padding="lg">
        {isDone ? (
          <NextSteps />
        ) : data ? (
          <SetupSteps key={code} state={data} code={code} onDone={finish} />
        ) : error ? (
          <LoadFailed error={error} title={t('setup.stateFailed')} onRetry={refetch} />
        ) : (
          <Loading lines={6} />
        )}
      </Card>
    </Container>
  );
}

/** The next steps after set-up. */
function NextSteps() {
  const { t } = useTranslation();
  return (
    <Stack gap="md">
      <Text>{t('setup.next.intro')}</Text>
      <List type="ordered" size="sm" spacing={6}>
        <List.Item>{t('setup.next.1')}</List.Item>
        <List.Item>{t('setup.next.2')}</List.Item>
        <List.Item>{t('setup.next.3')}</List.Item>
      </List>
      <Button component={Link} to="/admin/channels" fullWidth>
        {t('setup.next.channels')}
      </Button>
    </Stack>
  );
}
