import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { publicCalls } from '../../../../src/api/public.ts';
import { SiteContent } from '../../components/content/SiteContent.tsx';
import { usePageTitle } from '../../components/layout/PageHeader.tsx';
import { client } from '../../lib/api.ts';
import { CALM_FRESH_MS } from '../../lib/query-client.ts';
import { useStatus } from '../../lib/status.ts';
import { NoticeDialog } from './NoticeDialog.tsx';
import { Welcome } from './Welcome.tsx';

const site = client({ homePage: publicCalls.homePage });

/** The front door: the operator's own page where there is one, else the way in. */
export function HomePage() {
  const { t } = useTranslation();
  const name = useStatus()?.system_name || t('product.name');
  usePageTitle(name);
  // A page that cannot be read is no reason to show none: the way in stands on its own.
  const { data: content = '', isPending } = useQuery({
    queryKey: ['public', 'home'],
    queryFn: ({ signal }) => site.homePage({}, { signal }),
    staleTime: CALM_FRESH_MS,
  });
  return (
    <>
      {content.trim() === '' ? (
        <Welcome isWaiting={isPending} name={name} />
      ) : (
        <SiteContent text={content} title={name} />
      )}
      <NoticeDialog />
    </>
  );
}
