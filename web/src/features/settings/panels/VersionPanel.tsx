import { Group, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { MarkdownView } from '../../../components/content/MarkdownView.tsx';
import { Fact } from '../../../components/display/Fact.tsx';
import { Notice } from '../../../components/display/Notice.tsx';
import { FullTime } from '../../../components/display/RelativeTime.tsx';
import { SideButton } from '../../../components/display/SideButton.tsx';
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
        <Group component="dl" gap="xl" m={0}>
          <Fact name={t('setting.version.now')}>{status?.version}</Fact>
          <Fact name={t('setting.version.started')}>
            {status && <FullTime at={status.start_time} />}
          </Fact>
        </Group>
        <SideButton
          loading={check.isPending}
          label={t('setting.version.check')}
          onClick={() => check.mutate()}
        />
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
