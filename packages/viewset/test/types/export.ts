// What the compiler must refuse in an export's configuration.
import {
  AllowAny,
  BaseModelSerializer,
  BulkCreateViewSet,
  type ColumnKit,
  compose,
  type Download,
  ExportService,
  FileExportMixin,
  IsAdminUser,
  ListModelMixin,
  ReadOnlyViewSet,
  type ViewSetConfig,
} from 'viewset'
import { models } from '../support/models.ts'
import type { Equal, Expect } from './support.ts'

declare const kit: ColumnKit
const { articles } = models(kit)
const serializer = BaseModelSerializer(articles, {
  fields: ['id', 'title', 'author'],
  extra: { label: article => `${article.title}!` },
})
const common = { model: articles, serializer, permissionClasses: [AllowAny] }

// Everything that is right.
ReadOnlyViewSet({
  ...common,
  exportFieldConfig: {
    title: 'Title',
    label: 'Label',
    author__name: 'Author',
    createdBy__username: 'Entered by',
    price: 'Price',
  },
  exportPermissionClasses: [IsAdminUser, ({ action }) => action === 'export'],
  exportFormats: ['csv', 'pdf'],
  allowExportData: false,
  csvBom: true,
  csvDelimiter: ';',
  csvLocale: 'de-DE',
  pdfOptions: { pageSize: 'A4', fonts: ['/usr/share/fonts/NotoSansSC-Regular.ttf'] },
})
ReadOnlyViewSet.with({
  csvBom: true,
  csvLocale: 'de-DE',
  csvDelimiter: '\t',
  exportPermissionClasses: [IsAdminUser],
  pdfOptions: { concurrency: 1 },
})
new ExportService(serializer, { exportFieldConfig: { author__name: 'Author', label: 'Label' } })

declare const view: InstanceType<ReturnType<typeof article>>
function article() {
  return compose(ListModelMixin, FileExportMixin)(common)
}
type _view = Expect<Equal<Awaited<ReturnType<typeof view.export>>, Download>>

// @ts-expect-error a typo in a path
ReadOnlyViewSet({ ...common, exportFieldConfig: { author__usrname: 'Author' } })
// @ts-expect-error a typo in a field
ReadOnlyViewSet({ ...common, exportFieldConfig: { titel: 'Title' } })
// @ts-expect-error the name on the wire is not the name in code
ReadOnlyViewSet({ ...common, exportFieldConfig: { created_by__username: 'Entered by' } })
// @ts-expect-error a header is a text
ReadOnlyViewSet({ ...common, exportFieldConfig: { title: { header: 'Title' } } })
// @ts-expect-error a typo in a path, without HTTP
new ExportService(serializer, { exportFieldConfig: { author__usrname: 'Author' } })
// @ts-expect-error no such format
ReadOnlyViewSet({ ...common, exportFormats: ['docx'] })
// @ts-expect-error no such delimiter
ReadOnlyViewSet({ ...common, csvDelimiter: '|' })
// @ts-expect-error permissions are a list
ReadOnlyViewSet({ ...common, exportPermissionClasses: IsAdminUser })
// @ts-expect-error fields belong to one model, so they cannot be a default for all
ReadOnlyViewSet.with({ exportFieldConfig: { title: 'Title' } })
// @ts-expect-error exportFieldConfig needs FileExportMixin
BulkCreateViewSet({ ...common, exportFieldConfig: { title: 'Title' } })

type Refused<K extends keyof ListConfig> = NonNullable<ListConfig[K]>
type ListConfig = ViewSetConfig<typeof articles, typeof serializer, 'ListModelMixin'>
type _refused = [
  Expect<
    Equal<
      Refused<'exportFieldConfig'>,
      "'exportFieldConfig' needs FileExportMixin, which this viewset does not include"
    >
  >,
  Expect<Equal<Refused<'csvBom'>, "'csvBom' needs FileExportMixin, which this viewset does not include">>,
]
