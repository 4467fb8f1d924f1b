/** Names that users of a library know, by its module. */
type Names = Readonly<Record<string, string>>

/**
 * Of Django REST framework 3.18: the classes and functions that its API guide speaks of, the settings, and what users set or
 * override on the classes that they extend.
 */
export const DRF_NAMES: Names = {
  generics: `
    get_object_or_404 GenericAPIView queryset serializer_class lookup_field lookup_url_kwarg filter_backends
    pagination_class get_queryset get_object get_serializer get_serializer_class get_serializer_context
    filter_queryset paginator paginate_queryset get_paginated_response CreateAPIView ListAPIView RetrieveAPIView
    DestroyAPIView UpdateAPIView ListCreateAPIView RetrieveUpdateAPIView RetrieveDestroyAPIView
    RetrieveUpdateDestroyAPIView
  `,
  mixins: `
    CreateModelMixin create perform_create ListModelMixin list RetrieveModelMixin retrieve UpdateModelMixin update
    perform_update partial_update DestroyModelMixin destroy perform_destroy
  `,
  viewsets: `
    as_view initialize_request reverse_action get_extra_actions ViewSet GenericViewSet ReadOnlyModelViewSet
    ModelViewSet
  `,
  views: `
    get_view_name get_view_description exception_handler APIView renderer_classes parser_classes
    authentication_classes throttle_classes permission_classes content_negotiation_class metadata_class
    versioning_class settings schema as_view permission_denied throttled get_renderers get_parsers
    get_authenticators get_permissions get_throttles get_content_negotiator get_exception_handler
    perform_content_negotiation check_permissions check_object_permissions check_throttles determine_version
    initialize_request finalize_response handle_exception dispatch options
  `,
  decorators: `
    api_view renderer_classes parser_classes authentication_classes throttle_classes throttle_scope
    permission_classes content_negotiation_class metadata_class versioning_class schema action
  `,
  routers: `
    BaseRouter register get_default_basename get_urls urls SimpleRouter routes trailing_slash use_regex_path
    APIRootView DefaultRouter
  `,
  serializers: `
    BaseSerializer instance many_init to_internal_value to_representation update create save is_valid validated_data
    Serializer get_value validate ListSerializer ModelSerializer serializer_field_mapping serializer_related_field
    serializer_url_field serializer_choice_field build_standard_field build_relational_field build_nested_field
    build_property_field build_url_field build_unknown_field HyperlinkedModelSerializer
  `,
  fields: `
    CreateOnlyDefault CurrentUserDefault Field read_only write_only required default source label help_text
    error_messages validators allow_null bind get_value get_attribute to_internal_value to_representation fail root
    context BooleanField CharField EmailField RegexField SlugField URLField UUIDField IPAddressField IntegerField
    BigIntegerField FloatField DecimalField max_digits decimal_places coerce_to_string max_value min_value localize
    rounding normalize_output DateTimeField input_formats default_timezone DateField TimeField DurationField
    ChoiceField html_cutoff html_cutoff_text choices MultipleChoiceField FilePathField FileField ImageField
    ListField DictField HStoreField JSONField ReadOnlyField HiddenField SerializerMethodField ModelField
  `,
  relations: `
    RelatedField queryset html_cutoff html_cutoff_text many_init get_queryset get_attribute choices display_value
    StringRelatedField PrimaryKeyRelatedField HyperlinkedRelatedField lookup_field view_name get_object get_url
    to_internal_value to_representation HyperlinkedIdentityField SlugRelatedField slug_field ManyRelatedField
  `,
  validators: `
    UniqueValidator UniqueTogetherValidator UniqueForDateValidator UniqueForMonthValidator UniqueForYearValidator
  `,
  permissions: `
    AND OR NOT BasePermission has_permission has_object_permission AllowAny IsAuthenticated IsAdminUser
    IsAuthenticatedOrReadOnly DjangoModelPermissions perms_map DjangoModelPermissionsOrAnonReadOnly
    DjangoObjectPermissions
  `,
  authentication: `
    BaseAuthentication authenticate authenticate_header BasicAuthentication SessionAuthentication
    TokenAuthentication RemoteUserAuthentication
  `,
  throttling: `
    BaseThrottle allow_request wait SimpleRateThrottle AnonRateThrottle UserRateThrottle ScopedRateThrottle
  `,
  filters: `
    BaseFilterBackend filter_queryset SearchFilter get_search_fields to_html UnaccentedSearchFilter OrderingFilter
    ordering_fields
  `,
  pagination: `
    BasePagination display_page_controls paginate_queryset get_paginated_response to_html PageNumberPagination
    page_size django_paginator_class page_query_param page_size_query_param max_page_size last_page_strings
    get_next_link get_previous_link get_html_context LimitOffsetPagination default_limit limit_query_param
    offset_query_param max_limit CursorPagination cursor_query_param ordering
  `,
  renderers: `
    BaseRenderer media_type render JSONRenderer TemplateHTMLRenderer StaticHTMLRenderer HTMLFormRenderer
    BrowsableAPIRenderer AdminRenderer MultiPartRenderer OpenAPIRenderer JSONOpenAPIRenderer
  `,
  parsers: `
    BaseParser media_type parse JSONParser FormParser MultiPartParser FileUploadParser
  `,
  exceptions: `
    ErrorDetail APIException status_code default_detail default_code detail get_codes get_full_details
    ValidationError ParseError AuthenticationFailed NotAuthenticated PermissionDenied NotFound MethodNotAllowed
    NotAcceptable UnsupportedMediaType Throttled server_error bad_request
  `,
  status: `
    is_informational is_success is_redirect is_client_error is_server_error
  `,
  settings: `
    APISettings DEFAULT_RENDERER_CLASSES DEFAULT_PARSER_CLASSES DEFAULT_AUTHENTICATION_CLASSES
    DEFAULT_PERMISSION_CLASSES DEFAULT_THROTTLE_CLASSES DEFAULT_CONTENT_NEGOTIATION_CLASS DEFAULT_METADATA_CLASS
    DEFAULT_VERSIONING_CLASS DEFAULT_PAGINATION_CLASS DEFAULT_FILTER_BACKENDS DEFAULT_SCHEMA_CLASS
    DEFAULT_THROTTLE_RATES NUM_PROXIES PAGE_SIZE SEARCH_PARAM ORDERING_PARAM DEFAULT_VERSION ALLOWED_VERSIONS
    VERSION_PARAM UNAUTHENTICATED_USER UNAUTHENTICATED_TOKEN VIEW_NAME_FUNCTION VIEW_DESCRIPTION_FUNCTION
    EXCEPTION_HANDLER NON_FIELD_ERRORS_KEY TEST_REQUEST_RENDERER_CLASSES TEST_REQUEST_DEFAULT_FORMAT
    URL_FORMAT_OVERRIDE FORMAT_SUFFIX_KWARG URL_FIELD_NAME DATE_FORMAT DATE_INPUT_FORMATS DATETIME_FORMAT
    DATETIME_INPUT_FORMATS TIME_FORMAT TIME_INPUT_FORMATS DURATION_FORMAT UNICODE_JSON COMPACT_JSON STRICT_JSON
    COERCE_DECIMAL_TO_STRING COERCE_BIGINT_TO_STRING UPLOADED_FILES_USE_URL HTML_SELECT_CUTOFF
    HTML_SELECT_CUTOFF_TEXT SCHEMA_COERCE_PATH_PK SCHEMA_COERCE_METHOD_NAMES
  `,
  test: `
    force_authenticate APIRequestFactory enforce_csrf_checks options APIClient credentials logout
    APITransactionTestCase APITestCase APISimpleTestCase APILiveServerTestCase URLPatternsTestCase
  `,
  reverse: `
    reverse
  `,
  request: `
    Request
  `,
  response: `
    Response
  `,
  negotiation: `
    BaseContentNegotiation DefaultContentNegotiation
  `,
  versioning: `
    BaseVersioning AcceptHeaderVersioning URLPathVersioning NamespaceVersioning HostNameVersioning
    QueryParameterVersioning
  `,
  metadata: `
    BaseMetadata SimpleMetadata
  `,
  urlpatterns: `
    format_suffix_patterns
  `,
  authtoken: `
    Token ObtainAuthToken
  `,
  schemas: `
    SchemaGenerator AutoSchema get_schema_view SchemaView
  `,
}

/** Of drf-commons 1.0: what its modules export, and what users set or override on it. */
export const DRF_COMMONS_NAMES: Names = {
  current_user: `
    get_current_user get_current_authenticated_user
  `,
  debug: `
    Categories get_logging_config StructuredLogger debug_print pretty_print_dict debug_sql_queries
    capture_request_data format_traceback log_model_changes debug_cache_operations profile_function memory_usage
    analyze_queryset debug_context_processor
  `,
  decorators: `
    api_request_logger log_function_call log_exceptions api_performance_monitor log_db_query cache_debug
  `,
  filters: `
    ComputedOrderingFilter computed_ordering_fields
  `,
  middlewares: `
    DebugMiddleware SQLDebugMiddleware ProfilerMiddleware CurrentUserMiddleware
  `,
  models: `
    BaseModelMixin UserActionMixin TimeStampMixin SoftDeleteMixin JsonModelMixin SlugMixin MetaMixin VersionMixin
    VersionConflictError IdentityMixin AddressMixin CurrentUserField get_json soft_delete restore is_deleted
  `,
  pagination: `
    StandardPageNumberPagination LimitOffsetPaginationWithFormat
  `,
  response: `
    success_response error_response
  `,
  serializers: `
    ConfigurableRelatedField ConfigurableManyToManyField ReadOnlyRelatedField WriteOnlyRelatedField
    BaseModelSerializer BulkUpdateListSerializer IdToDataField IdToStrField DataToIdField DataToStrField
    DataToDataField StrToDataField IdOnlyField StrOnlyField FlexibleField CustomOutputField ManyIdToDataField
    ManyDataToIdField ManyStrToDataField ManyIdOnlyField ManyStrOnlyField ManyFlexibleField ReadOnlyIdField
    ReadOnlyStrField ReadOnlyDataField ReadOnlyCustomField
  `,
  services: `
    ExportService export_csv export_xlsx export_pdf FileImportService progress_callback ImportErrorRow
    ImportValidationError FileFormat file_format order models chunk_size model fields unique_fields foreign_keys
    lookup_field source_field generate_import_template
  `,
  settings: `
    COMMON BULK_OPERATION_BATCH_SIZE IMPORT_BATCH_SIZE IMPORT_FAILED_ROWS_DISPLAY_LIMIT
  `,
  views: `
    CreateModelMixin ListModelMixin RetrieveModelMixin UpdateModelMixin DestroyModelMixin BulkOperationMixin
    BulkCreateModelMixin BulkUpdateModelMixin BulkDeleteModelMixin FileImportMixin FileExportMixin BaseViewSet
    BulkViewSet ReadOnlyViewSet CreateListViewSet BulkCreateViewSet BulkUpdateViewSet BulkDeleteViewSet
    BulkOnlyViewSet ImportableViewSet BulkImportableViewSet append_indexes return_data_on_create
    return_data_on_update bulk_batch_size get_bulk_batch_size use_save_on_bulk_update bulk_create bulk_update
    bulk_delete bulk_soft_delete soft_destroy perform_soft_destroy on_create_message on_list_message
    on_retrieve_message on_update_message on_destroy_message on_bulk_delete_message export_field_config
    export_permission_classes import_file_config import_transforms import_template_name import_file
    download_import_template
  `,
}

export function namesOf(names: Names): readonly string[] {
  return Object.values(names).flatMap(text => text.trim().split(/\s+/))
}
