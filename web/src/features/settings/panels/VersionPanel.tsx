import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { MarkdownView } from '../../../components/content/MarkdownView.tsx';
import { Notice } from '../../../components/display/Notice.tsx';
import { FullTime } from '../../../components/display/RelativeTime.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { useStatus } from '../../../lib/site/status.ts';
import { isSameVersion, latestRelease } from './release.ts';

export function VersionPanel() {
  const { t } = useTranslation();
  const status = useStatus();
  const check = useMutation({
    mutationFn: latestRelease,
    onError: () => toast.error(t('setting.version.failed')),
  });
  const isSame = isSameVersion(check.data?.tag ?? '', status?.version ?? '');
  return (
    <Stack gap="md">
      <Group gap="xl">
        <div>
          <Text size="xs" c="dimmed">
            {t('setting.version.now')}
          </Text>
          <Text size="sm">{status?.version}</Text>
        </div>
        <div>
          <Text size="xs" c="dimmed">
            {t('setting.version.started')}
          </Text>
          <Text size="sm" component="div">
            {status && <FullTime at={status.start_time} />}
          </Text>
        </div>
        <Button variant="default" loading={check.isPending} onClick={() => check.mutate()}>
          {t('setting.version.check')}
        </Button>
      </Group>
      {check.data && (
        <Notice
          tone={isSame ? 'green' : 'blue'}
          title={t(isSame ? 'setting.version.same' : 'setting.version.latest', {
            tag: check.data.tag,
          })}
        >
          <MarkdownView text={check.data.body} />
        </Notice>
      )}
    </Stack>
  );
}
