/** The front door: is the gateway there, which one is it, and where do programs reach it. */
import { Button, Code, Container, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ApiError } from '../../lib/api.ts';
import { type Reading, statusReading } from '../../lib/status.ts';
import { Late } from '../../parts/Late.tsx';
import { Notice } from '../../parts/Notice.tsx';
import { problemText } from '../../parts/problem.ts';
import { StatusCard, StatusCardSkeleton } from './StatusCard.tsx';

export function StatusPage() {
  const { t } = useTranslation();
  const { data: reading, isFetching, refetch } = useQuery(statusReading);
  const name = reading?.status?.system_name ?? t('product.name');
  useDocumentTitle(name);

  return (
    <Container size={680} px={0} py="lg">
      <Stack gap="lg">
        <div>
          <Title order={1} fz={28}>
            {name}
          </Title>
          <Text c="dimmed" mt={4}>
            {t('status.tagline')}
          </Text>
        </div>
        {reading?.problem && (
          <Problem problem={reading.problem} isRetrying={isFetching} retry={refetch} />
        )}
        {reading ? <Known {...reading} /> : <Loading />}
      </Stack>
    </Container>
  );
}

function Known({ status, problem }: Reading) {
  const { t } = useTranslation();
  if (!status) return null;
  return (
    <>
      {!status.setup && (
        <Notice tone="yellow" title={t('status.setup.title')}>
          {t('status.setup.hint')} <Code style={{ whiteSpace: 'nowrap' }}>gateway setup</Code>
        </Notice>
      )}
      <StatusCard status={status} problem={problem} />
    </>
  );
}

interface ProblemProps {
  readonly problem: ApiError;
  readonly isRetrying: boolean;
  readonly retry: () => Promise<unknown>;
}

function Problem({ problem, isRetrying, retry }: ProblemProps) {
  const { t } = useTranslation();
  const title = problem.kind === 'unreachable' ? 'status.unreachable' : 'status.failed';
  return (
    <Notice
      tone="red"
      title={t(title)}
      action={
        <Button variant="default" loading={isRetrying} onClick={() => void retry()}>
          {t('action.retry')}
        </Button>
      }
    >
      {problemText(t, problem)}
    </Notice>
  );
}

function Loading() {
  return (
    <Late>
      <StatusCardSkeleton />
    </Late>
  );
}
