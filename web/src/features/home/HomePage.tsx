import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { publicCalls } from '../../../../src/api/site/public.ts';
import { SiteContent } from '../../components/content/SiteContent.tsx';
import { usePageTitle } from '../../components/layout/PageHeader.tsx';
import { client } from '../../lib/api/api.ts';
import { CALM_FRESH_MS } from '../../lib/api/query-client.ts';
import { useStatus } from '../../lib/site/status.ts';
import { NoticeDialog } from './NoticeDialog.tsx';
import { Welcome } from './Welcome.tsx';

const site = client({ homePage: publicCalls.homePage });

/** The home page: the operator's own content if set, else a welcome page. */
export function HomePage() {
  const { t } = useTranslation();
  const name = useStatus()?.system_name || t('product.name');
  usePageTitle(name);
  // If the content cannot be loaded, the welcome page is shown.
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
