import csv
import io
import os
import uuid

import django
from django.conf import settings

settings.configure(
    DEBUG=False,
    SECRET_KEY="benchmark",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    USE_TZ=True,
    INSTALLED_APPS=["rest_framework"],
    MIDDLEWARE=["django.middleware.common.CommonMiddleware"],
    DATA_UPLOAD_MAX_MEMORY_SIZE=50 * 1024 * 1024,
    DATABASES={
        "default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["BENCH_FILE"], "CONN_MAX_AGE": None}
    },
    REST_FRAMEWORK={
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "UNAUTHENTICATED_USER": None,
    },
)
django.setup()

from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import models, transaction  # noqa: E402
from django.http import StreamingHttpResponse  # noqa: E402
from django.urls import include, path  # noqa: E402
from django.utils import timezone  # noqa: E402
from rest_framework import pagination, routers, serializers, viewsets  # noqa: E402
from rest_framework.decorators import action  # noqa: E402
from rest_framework.parsers import JSONParser, MultiPartParser  # noqa: E402
from rest_framework.response import Response  # noqa: E402


class PlainUUIDField(models.CharField):
    def __init__(self, **kwargs):
        super().__init__(**{"max_length": 36, **kwargs})


class Country(models.Model):
    id = PlainUUIDField(primary_key=True)
    code = models.CharField(max_length=20)
    name = models.CharField(max_length=100)

    class Meta:
        app_label, db_table, managed = "bench", "countries", False


class Region(models.Model):
    id = PlainUUIDField(primary_key=True)
    code = models.CharField(max_length=20)
    name = models.CharField(max_length=100)

    class Meta:
        app_label, db_table, managed = "bench", "regions", False


def new_id():
    return str(uuid.uuid4())


class City(models.Model):
    id = PlainUUIDField(primary_key=True, default=new_id, editable=False)
    name = models.CharField(max_length=200, unique=True)
    latitude = models.DecimalField(max_digits=8, decimal_places=5)
    longitude = models.DecimalField(max_digits=8, decimal_places=5)
    country = models.ForeignKey(Country, models.PROTECT)
    region = models.ForeignKey(Region, models.PROTECT, null=True)
    is_active = models.BooleanField(default=True)
    created_at = models.CharField(max_length=40, default=lambda: timezone.now().isoformat(), editable=False)
    updated_at = models.CharField(max_length=40, default=lambda: timezone.now().isoformat(), editable=False)

    class Meta:
        app_label, db_table, managed = "bench", "cities", False


class CountrySerializer(serializers.ModelSerializer):
    class Meta:
        model, fields = Country, ["id", "code", "name"]


class RegionSerializer(serializers.ModelSerializer):
    class Meta:
        model, fields = Region, ["id", "code", "name"]


class CitySerializer(serializers.ModelSerializer):
    class Meta:
        model = City
        fields = ["id", "name", "latitude", "longitude", "country", "region", "created_at", "updated_at"]

    def to_representation(self, city):
        shown = super().to_representation(city)
        shown["country"] = CountrySerializer(city.country).data
        shown["region"] = RegionSerializer(city.region).data if city.region else None
        return shown


class CityPages(pagination.PageNumberPagination):
    page_size, page_size_query_param, max_page_size = 20, "page_size", 100


class Echo:
    def write(self, value):
        return value


class CityViewSet(viewsets.ModelViewSet):
    queryset = City.objects.select_related("country", "region").order_by("name")
    serializer_class = CitySerializer
    pagination_class = CityPages
    parser_classes = [JSONParser, MultiPartParser]

    @action(detail=False, methods=["post"])
    def bulk(self, request):
        serializer = self.get_serializer(data=request.data, many=True)
        serializer.is_valid(raise_exception=True)
        with transaction.atomic():
            serializer.save()
        return Response(serializer.data, status=201)

    @action(detail=False, methods=["post"], url_path="import")
    def import_file(self, request):
        countries = dict(Country.objects.values_list("code", "pk"))
        regions = dict(Region.objects.values_list("code", "pk"))
        stored, errors = 0, []
        with transaction.atomic():
            reader = csv.DictReader(io.TextIOWrapper(request.FILES["file"], "utf-8"))
            for line, row in enumerate(reader, start=2):
                row["country"] = countries.get(row["country"])
                row["region"] = regions.get(row["region"]) if row["region"] else None
                existing = City.objects.filter(name=row["name"]).first()
                serializer = CitySerializer(existing, data=row)
                if not serializer.is_valid():
                    errors.append({"line": line, "errors": serializer.errors})
                    continue
                serializer.save()
                stored += 1
        return Response({"stored": stored, "errors": errors})

    @action(detail=False, methods=["get"])
    def export(self, request):
        writer = csv.writer(Echo())
        rows = self.get_queryset().values_list("id", "name", "latitude", "longitude", "country__code", "region__code")
        header = [["id", "name", "latitude", "longitude", "country", "region"]]
        lines = (writer.writerow(row) for part in (header, rows.iterator()) for row in part)
        return StreamingHttpResponse(lines, content_type="text/csv")


router = routers.DefaultRouter()
router.register("cities", CityViewSet)
urlpatterns = [path("api/", include(router.urls))]
application = get_wsgi_application()
