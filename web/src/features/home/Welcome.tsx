import {
  Button,
  Card,
  Container,
  Group,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { IconArrowRight, IconKey, IconReceipt, IconTerminal2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { CopyButton } from '../../components/display/copy.tsx';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { Figure } from '../../components/display/Figure.tsx';
import { FullTime } from '../../components/display/RelativeTime.tsx';
import { StateTag } from '../../components/display/StatusBadge.tsx';
import { Tag } from '../../components/display/Tag.tsx';
import { Loading } from '../../components/layout/list-states.tsx';
import { useIsAdmin, useUser } from '../../lib/session/session.ts';
import { useBaseUrl } from '../../lib/site/base-url.ts';
import { type StatusState, statusQuery, useStatus } from '../../lib/site/status.ts';
import classes from './Welcome.module.css';

interface WelcomeProps {
  readonly name: string;
  /** The operator's content is still loading and may replace this page. */
  readonly isWaiting: boolean;
}

export function Welcome({ name, isWaiting }: WelcomeProps) {
  const { t } = useTranslation();
  return (
    <Container size={960} px={0} pb="xl">
      <div className={classes.hero}>
        <Title order={1} className={classes.name}>
          {name}
        </Title>
        <Text size="md" maw="36em" fz={16} c="dimmed">
          {t('home.tagline')}
        </Text>
        <BaseUrl />
        {isWaiting ? <Skeleton h={36} w={220} /> : <Ways />}
      </div>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="md">
        <Step
          number={1}
          icon={<IconKey size={18} />}
          title={t('home.step.1')}
          text={t('home.step.1.text')}
        />
        <Step
          number={2}
          icon={<IconTerminal2 size={18} />}
          title={t('home.step.2')}
          text={t('home.step.2.text')}
        />
        <Step
          number={3}
          icon={<IconReceipt size={18} />}
          title={t('home.step.3')}
          text={t('home.step.3.text')}
        />
      </SimpleGrid>
      <Stack gap="md" mt="md">
        <Providers />
        <SystemCard />
      </Stack>
    </Container>
  );
}

function BaseUrl() {
  const { t } = useTranslation();
  const url = `${useBaseUrl()}/v1`;
  return (
    <div className={classes.url}>
      <Dimmed span flex="none">
        {t('home.baseUrl')}
      </Dimmed>
      <Text size="md" span ff="monospace" className={classes.urlText}>
        {url}
      </Text>
      <CopyButton text={url} label={t('home.copyUrl')} size={32} />
    </div>
  );
}

function Ways() {
  const { t } = useTranslation();
  const user = useUser();
  const status = useStatus();
  if (user) {
    return (
      <Button
        component={Link}
        to="/app/tokens"
        size="md"
        rightSection={<IconArrowRight size={16} />}
      >
        {t('home.openConsole')}
      </Button>
    );
  }
  return (
    <Group gap="sm" justify="center">
      <Button component={Link} to="/login" size="md">
        {t('common.signIn')}
      </Button>
      {status?.register_enabled && !status.self_use_mode_enabled && (
        <Button component={Link} to="/register" size="md" variant="default">
          {t('common.register')}
        </Button>
      )}
      <Button component={Link} to="/pricing" size="md" variant="subtle">
        {t('home.seePrices')}
      </Button>
    </Group>
  );
}

interface StepProps {
  readonly number: number;
  readonly icon: ReactNode;
  readonly title: string;
  readonly text: string;
}

function Step({ number, icon, title, text }: StepProps) {
  return (
    <Card padding="md">
      <Group mb={6} wrap="nowrap">
        <span className={classes.icon}>{icon}</span>
        <Title order={2} fz={14}>
          {number}. {title}
        </Title>
      </Group>
      <Dimmed size="sm">{text}</Dimmed>
    </Card>
  );
}

const SHOWN = [
  'OpenAI',
  'Claude',
  'Gemini',
  'DeepSeek',
  'Qwen',
  'Mistral',
  'xAI',
  'Ollama',
  'Azure',
  'Bedrock',
];

function Providers() {
  const { t } = useTranslation();
  return (
    <Group gap={8} justify="center" role="group" aria-label={t('home.providers')}>
      {SHOWN.map((provider) => (
        <span key={provider} className={classes.provider}>
          {provider}
        </span>
      ))}
    </Group>
  );
}

/** The status of the gateway; for administrators its version and start, too. */
function SystemCard() {
  const { t } = useTranslation();
  const { data: reading } = useQuery(statusQuery);
  const status = reading?.status;
  const isAdmin = useIsAdmin();
  return (
    <Card padding="md" component="section" aria-label={t('home.system')}>
      <Group gap="md" justify="space-between" mb={status && isAdmin ? 'sm' : 0}>
        <Title order={2} fz={14}>
          {t('home.system')}
        </Title>
        {reading && <State reading={reading} />}
      </Group>
      {reading === undefined && <Loading lines={1} />}
      {status && isAdmin && (
        <Group gap="xl">
          <Figure size="sm" label={t('home.version')}>
            {status.version}
          </Figure>
          <Figure size="sm" label={t('home.started')}>
            <FullTime at={status.start_time} />
          </Figure>
          {(status.self_use_mode_enabled || status.demo_site_enabled) && (
            <Figure size="sm" label={t('home.mode')}>
              <Group gap={6}>
                {status.self_use_mode_enabled && <Tag tone="violet">{t('shell.selfUse')}</Tag>}
                {status.demo_site_enabled && <Tag tone="teal">{t('shell.demo')}</Tag>}
              </Group>
            </Figure>
          )}
        </Group>
      )}
    </Card>
  );
}

function State({ reading: { problem } }: { readonly reading: StatusState }) {
  const { t } = useTranslation();
  return (
    <div role="status">
      {problem === undefined ? (
        <StateTag tone="green">{t('home.state.up')}</StateTag>
      ) : (
        <StateTag tone="red" shape="warning">
          {t(problem.kind === 'unreachable' ? 'home.state.unreachable' : 'home.state.failed')}
        </StateTag>
      )}
    </div>
  );
}
